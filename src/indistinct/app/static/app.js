// What the pages do beyond links and forms: they work without it, but for uploads.
import { draw } from "./chart.js";
import { cutting } from "./cuts.js";
import { listen } from "./running.js";
import { planting } from "./tree.js";
import { dropzones } from "./upload.js";

const TYPING = 350;

/** Put the page that the server sent in place of this one, and keep the focus where it was. */
export function show(html, address) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const page = next.getElementById("page");
  if (!page) return location.assign(address);
  const focused = document.activeElement?.id;
  const scrolled = document.querySelector("aside textarea")?.scrollTop ?? 0;
  document.getElementById("page").replaceWith(document.adoptNode(page));
  document.querySelector("header")?.replaceWith(document.adoptNode(next.querySelector("header")));
  document.title = next.title;
  if (new URL(address, location.href).href !== location.href) history.pushState(null, "", address);
  begin();
  const plan = document.querySelector("aside textarea");
  if (plan) plan.scrollTop = scrolled;
  const wrong = document.querySelector("[aria-invalid]");
  (wrong ?? (focused ? document.getElementById(focused) : null))?.focus({ preventScroll: !wrong });
  const faults = [...document.querySelectorAll("main .wrong:not([hidden])")].map((p) => p.textContent.trim());
  document.getElementById("said").textContent = faults.join(" ") || "Done.";
}

/** Tell whether something was typed into the plan that another form would throw away. */
function wouldLose(form) {
  const plan = document.getElementById("plan-text");
  if (!plan || form === plan.form || form.getAttribute("action") === "/cancel") return false;
  const typed = plan.value !== plan.defaultValue;
  document.getElementById("plan-typed").hidden = !typed;
  if (typed) { form.reset(); plan.focus(); }
  return typed;
}

async function submit(form, button) {
  if (wouldLose(form)) return;
  const body = new URLSearchParams(new FormData(form, button ?? undefined));
  const action = button?.hasAttribute("formaction") ? button.formAction : form.getAttribute("action");
  form.querySelectorAll("button").forEach((each) => { each.disabled = true; });
  const answer = await fetch(action, { method: "POST", body });
  const wrong = answer.status === 422 || answer.status === 409;
  show(await answer.text(), wrong ? location.href : answer.url);
}

/** Show what a form that is being filled in would give, without keeping it. */
function live(form) {
  let timer = 0;
  let asked = 0;
  const ask = async () => {
    const mine = ++asked;
    const query = new URLSearchParams(new FormData(form));
    query.delete("form_token");
    const answer = await fetch(`${form.dataset.live}?${query}`);
    const html = await answer.text();
    if (mine !== asked || !form.isConnected) return;
    const target = document.getElementById(form.dataset.target);
    if (form.dataset.part === undefined) target.innerHTML = html;
    else target.replaceWith(new DOMParser().parseFromString(html, "text/html").getElementById(target.id));
  };
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (event.target.dataset.reload !== undefined) {
      location.assign(`${form.getAttribute("action")}?${new URLSearchParams([...new FormData(form)].filter(([key]) => key === "column" || key === "kind"))}`);
    } else if (event.target.type !== "file") timer = setTimeout(ask, TYPING);
  });
}

/** Say in words what k means. */
function words(box) {
  const slider = document.querySelector(`[data-for="${box.id}"]`);
  const said = document.getElementById(`${box.id}-words`);
  const say = () => {
    const k = Number.parseInt(box.value, 10);
    const good = k >= 2;
    said.hidden = !good;
    said.querySelector("[data-others]").textContent = good ? String(k - 1) : "";
    said.querySelector("[data-chance]").textContent = good ? `1 time in ${k} (${(100 / k).toPrecision(2).replace(/\.0$/, "")} %)` : "";
  };
  slider.addEventListener("input", () => { box.value = slider.value; say(); });
  box.addEventListener("input", () => { slider.value = box.value; say(); });
  say();
}

/** Wake up a page that is new. */
function begin() {
  document.querySelectorAll("form[data-soft]").forEach((form) => {
    form.addEventListener("submit", (event) => { event.preventDefault(); submit(form, event.submitter); });
  });
  document.querySelectorAll("form[data-auto]").forEach((form) => {
    form.addEventListener("change", () => form.requestSubmit());
  });
  document.querySelectorAll("form[data-live]").forEach(live);
  document.querySelectorAll("[data-words]").forEach(words);
  document.querySelectorAll("[data-into]").forEach((file) => {
    file.addEventListener("change", async () => {
      const box = document.getElementById(file.dataset.into);
      box.value = await file.files[0].text();
      box.dispatchEvent(new Event("input", { bubbles: true }));
    });
  });
  document.querySelector("header [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  document.querySelectorAll("[data-cuts]").forEach(cutting);
  document.querySelectorAll("[data-tree]").forEach(planting);
  dropzones(document.body.dataset.token);
  const chart = document.querySelector("[data-chart]");
  if (chart && !chart.hidden) draw(chart);
  const running = document.querySelector("[data-running]");
  if (running) listen(running, async () => {
    const answer = await fetch(location.href);
    show(await answer.text(), location.href);
  }, (point) => chart?.dispatchEvent(new CustomEvent("point", { detail: point })));
  document.documentElement.dataset.ready = "yes";
}

addEventListener("popstate", () => location.reload());
begin();
