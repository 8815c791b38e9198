// A tree of values: chosen nodes are dragged onto a group, or put there with the list below it.
// The text box, a line for each value, stays what counts.
import { element } from "./element.js";

const MOST = 400;

export function planting(place) {
  const box = document.getElementById(place.dataset.tree);
  const chosen = new Set(); // "level label"
  const mark = () => [";", "\t", ","].find((each) => box.value.includes(each)) ?? ";";
  const read = () => box.value.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => line.split(mark()));
  const write = (paths) => {
    const between = mark();
    box.value = paths.map((path) => path.join(between)).join("\n") + "\n";
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };

  /** Put the chosen nodes of one level under a group of the next: theirs is then its way up. */
  function put(level, group) {
    const paths = read();
    const isChosen = (path) => chosen.has(`${level} ${path[level]}`);
    const above = paths.find((path) => path[level + 1] === group) ?? paths.find(isChosen);
    const known = above[level + 1] === group;
    const deeper = !known && level + 1 === above.length - 1; // a new group needs a level of its own
    const way = known ? above.slice(level + 1) : [group, ...above.slice(level + (deeper ? 1 : 2))];
    for (const path of paths) {
      if (isChosen(path)) path.splice(level + 1, path.length, ...way);
      else if (deeper) path.splice(level + 1, 0, path[level]);
    }
    chosen.clear();
    write(paths);
    paint();
    document.getElementById("said").textContent = `Moved to ${group}.`;
  }

  function node(level, label, rows) {
    const key = `${level} ${label}`;
    const button = element("button", { type: "button", class: "leaf", draggable: "true", "aria-pressed": String(chosen.has(key)), "data-key": key }, label);
    button.addEventListener("click", () => {
      if (!chosen.delete(key)) {
        for (const other of chosen) if (!other.startsWith(`${level} `)) chosen.delete(other);
        chosen.add(key);
      }
      paint();
      place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
    });
    button.addEventListener("dragstart", () => {
      if (!chosen.has(key)) chosen.clear();
      chosen.add(key);
    });
    if (level) {
      const fits = (of) => [...chosen].every((other) => other.startsWith(`${of} `));
      button.addEventListener("dragover", (event) => { if (fits(level - 1) || fits(level)) event.preventDefault(); });
      button.addEventListener("drop", (event) => {
        event.preventDefault();
        if (fits(level)) { // a group on a group: all that is below it moves
          const below = read().filter((path) => chosen.has(`${level} ${path[level]}`)).map((path) => `${level - 1} ${path[level - 1]}`);
          chosen.clear();
          below.forEach((each) => chosen.add(each));
        }
        put(level - 1, label);
      });
    }
    const item = element("li");
    item.append(button);
    if (level) {
      const list = element("ul");
      for (const below of new Set(rows.map((path) => path[level - 1]))) list.append(node(level - 1, below, rows.filter((path) => path[level - 1] === below)));
      item.append(list);
    }
    return item;
  }

  function bar(paths) {
    const level = chosen.size ? Number([...chosen][0].split(" ", 1)[0]) : null;
    const line = element("div", { class: "actions" });
    if (level === null) {
      line.append(element("p", { class: "hint" }, "Choose values or groups, then put them under a group; or drag them onto it."));
      return line;
    }
    const groups = [...new Set(paths.map((path) => path[level + 1]))].filter((label) => label !== undefined);
    const list = element("select", { "aria-label": "Group to put them under" });
    for (const group of groups) list.append(element("option", { value: group }, group));
    const go = element("button", { type: "button", class: "plain" }, `Put ${chosen.size} under it`);
    go.addEventListener("click", () => put(level, list.value));
    const name = element("input", { "aria-label": "Name of a new group", placeholder: "new group", size: 14 });
    const make = element("button", { type: "button", class: "plain" }, "Put under a new group");
    make.addEventListener("click", () => { if (name.value.trim() && !name.value.includes(mark())) put(level, name.value.trim()); else name.focus(); });
    for (const event of ["input", "change"]) [list, name].forEach((each) => each.addEventListener(event, (told) => told.stopPropagation()));
    line.append(list, go, name, make);
    return line;
  }

  function paint() {
    const paths = read();
    const deep = paths.length ? paths[0].length : 0;
    place.replaceChildren();
    if (deep < 2 || paths.some((path) => path.length !== deep)) return;
    if (paths.length > MOST) return place.append(element("p", { class: "hint" }, `More than ${MOST} values are edited as text.`));
    const list = element("ul", { "aria-label": "Tree of values" });
    for (const top of new Set(paths.map((path) => path[deep - 1]))) list.append(node(deep - 1, top, paths.filter((path) => path[deep - 1] === top)));
    place.append(list, bar(paths));
  }

  box.addEventListener("change", paint);
  paint();
}
