// Files go to the server as they are, piece by piece; the page never holds them.

export function dropzones(token) {
  document.querySelectorAll("[data-upload]").forEach((zone) => {
    const input = zone.querySelector("input[type=file]");
    input.addEventListener("change", () => input.files[0] && send(zone, input.files[0], token));
    zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      if (event.dataTransfer.files[0]) send(zone, event.dataTransfer.files[0], token);
    });
  });
}

function send(zone, file, token) {
  const bar = zone.querySelector("progress");
  const wrong = zone.querySelector("[data-wrong]");
  const refuse = (words) => { bar.hidden = true; wrong.hidden = false; wrong.textContent = words; };
  const address = zone.dataset.upload;
  const request = new XMLHttpRequest();
  request.open("POST", `${address}${address.includes("?") ? "&" : "?"}name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("X-Form-Token", token);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.value = event.loaded / event.total; });
  request.addEventListener("load", () => {
    if (request.status === 200) location.assign(request.response.to);
    else refuse(request.response?.faults?.join(" ") ?? "The file was refused. Load the page again.");
  });
  request.addEventListener("error", () => refuse("The app does not answer. Is it still running?"));
  bar.hidden = false;
  wrong.hidden = true;
  request.send(file);
}
