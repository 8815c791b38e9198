// What the server says about the job that runs, as it happens.

const NAMES = { read: "reading the file", encode: "encoding", search: "searching", publish: "publishing", verify: "checking the rows", write: "writing", check: "checking the files once more", frontier: "making and checking releases", lattice: "counting vectors" };

export function listen(place, ended, point) {
  const bar = place.querySelector("progress");
  const stage = place.querySelector("[data-stage]");
  const left = place.querySelector("[data-left]");
  const began = performance.now();
  let stageBegan = began;
  const clock = setInterval(() => {
    if (!place.isConnected) return stop();
    place.querySelector("[data-elapsed]").textContent = `${Math.round((performance.now() - began) / 1000)} s`;
  }, 500);
  const source = new EventSource("/events");
  const stop = () => { clearInterval(clock); source.close(); };
  source.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    if (event.kind === "stage") {
      stage.textContent = NAMES[event.name] ?? event.name;
      stageBegan = performance.now();
      bar.removeAttribute("value");
      left.textContent = "";
    } else if (event.kind === "advance") {
      bar.value = event.done;
      const rest = ((performance.now() - stageBegan) / 1000) * (1 / event.done - 1);
      left.textContent = event.done > 0.02 && event.done < 1 ? ` · about ${Math.max(1, Math.round(rest))} s left in this stage` : "";
    } else if (event.kind === "point") {
      point(event);
    } else {
      stop();
      ended();
    }
  });
}
