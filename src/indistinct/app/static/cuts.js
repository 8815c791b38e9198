// Cut points on a line: dragged, or moved by arrow keys. The text box stays what counts.
import { element } from "./element.js";

export function cutting(place) {
  const box = document.getElementById(place.dataset.cuts);
  const low = Number(place.dataset.low);
  const high = Number(place.dataset.high);
  const whole = Number.isInteger(low) && Number.isInteger(high);
  const step = whole ? Math.max(1, Math.round((high - low) / 200)) : (high - low) / 200;
  const rounded = (cut) => {
    const kept = Math.min(high, Math.max(low, cut));
    return whole ? Math.round(kept) : Number(kept.toPrecision(4));
  };
  const read = () => box.value.split("\n").map((line) => line.split(",").map((part) => part.trim()).filter(Boolean).map(Number).filter(Number.isFinite));
  const write = (levels) => {
    box.value = levels.filter((cuts) => cuts.length).map((cuts) => [...new Set(cuts)].sort((a, b) => a - b).join(", ")).join("\n");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };

  /** Put another cut in the place of one, and keep the focus on it. */
  function move(level, from, to) {
    const levels = read();
    levels[level] = levels[level].filter((cut) => cut !== from).concat(to === null ? [] : [to]);
    write(levels);
    paint();
    place.querySelector(`[data-level="${level}"][data-cut="${to}"]`)?.focus();
  }

  function handle(level, cut, track) {
    const knob = element("span", { class: "knob", role: "slider", tabindex: 0, "aria-label": `Cut of level ${level + 1}`, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": cut, "data-level": level, "data-cut": cut }, String(cut));
    knob.style.left = `${(100 * (cut - low)) / (high - low || 1)}%`;
    knob.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step, PageDown: -10 * step, PageUp: 10 * step };
      if (event.key in moves) move(level, cut, rounded(cut + moves[event.key]));
      else if (event.key === "Delete" || event.key === "Backspace") move(level, cut, null);
      else return;
      event.preventDefault();
    });
    knob.addEventListener("pointerdown", (event) => {
      knob.setPointerCapture(event.pointerId);
      event.preventDefault();
      knob.focus();
      const at = (x) => {
        const { left, width } = track.getBoundingClientRect();
        return rounded(low + ((x - left) / width) * (high - low));
      };
      const follow = (now) => {
        knob.style.left = `${(100 * (at(now.clientX) - low)) / (high - low || 1)}%`;
        knob.textContent = String(at(now.clientX));
      };
      knob.addEventListener("pointermove", follow);
      knob.addEventListener("pointerup", (now) => move(level, cut, at(now.clientX)), { once: true });
    });
    return knob;
  }

  function paint() {
    place.replaceChildren();
    const levels = read();
    levels.forEach((cuts, level) => {
      if (!cuts.length) return;
      const line = element("div", { class: "cut-line" });
      const track = element("div", { class: "track" });
      for (const cut of cuts) track.append(handle(level, cut, track));
      const more = element("button", { type: "button", class: "plain" }, "Add a cut");
      more.addEventListener("click", () => {
        const ends = [low, ...cuts, high].sort((a, b) => a - b);
        const gaps = ends.slice(1).map((end, number) => [end - ends[number], (end + ends[number]) / 2]);
        move(level, null, rounded(gaps.sort((a, b) => b[0] - a[0])[0][1]));
      });
      line.append(element("span", { class: "quiet small" }, `Level ${level + 1}`), track, more);
      place.append(line);
    });
    const note = "Drag a cut, or move it with the arrow keys; the Delete key removes it.";
    place.append(element("p", { class: "hint" }, `${low} to ${high}. ${note}`));
  }

  box.addEventListener("change", paint);
  paint();
}
