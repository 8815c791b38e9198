// Loss against k: a line for each method, and what no release can fall below.

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM] = [640, 320, 48, 16, 34, 40];

function add(svg, name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  svg.append(node);
  return node;
}

function paint(svg, points) {
  svg.replaceChildren();
  const met = points.filter((point) => point.met);
  const ks = [...new Set(points.map((point) => point.k))].sort((a, b) => a - b);
  if (!ks.length) return;
  const most = Math.max(0.1, ...met.map((point) => point.loss)) * 1.08;
  const low = Math.log(ks[0]);
  const span = Math.log(ks.at(-1)) - low || 1;
  const x = (k) => LEFT + ((Math.log(k) - low) / span) * (WIDE - LEFT - RIGHT - 8) + 4;
  const y = (loss) => HIGH - BOTTOM - (loss / most) * (HIGH - TOP - BOTTOM);
  for (let part = 0; part <= 4; part++) {
    const loss = (most * part) / 4;
    add(svg, "line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(loss), y2: y(loss) });
    add(svg, "text", { x: LEFT - 6, y: y(loss) + 4, "text-anchor": "end" }, loss.toFixed(2));
  }
  for (const k of ks) add(svg, "text", { x: x(k), y: HIGH - BOTTOM + 18, "text-anchor": "middle" }, k);
  add(svg, "text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 6, "text-anchor": "middle" }, "k");
  add(svg, "text", { x: 8, y: TOP - 14 }, "loss");
  const bound = met.filter((point) => point.bound !== null).sort((a, b) => a.k - b.k);
  if (bound.length > 1) add(svg, "polyline", { class: "bound", points: bound.map((p) => `${x(p.k)},${y(p.bound)}`).join(" ") });
  const methods = [...new Set(points.map((point) => point.method))];
  let place = LEFT + 40;
  methods.forEach((method, number) => {
    const own = met.filter((point) => point.method === method).sort((a, b) => a.k - b.k);
    const colour = `s${number % 5}`;
    add(svg, "polyline", { class: `curve ${colour}`, points: own.map((p) => `${x(p.k)},${y(p.loss)}`).join(" ") });
    for (const point of own) {
      const dot = add(svg, "circle", { class: colour, cx: x(point.k), cy: y(point.loss), r: 4 });
      const title = document.createElementNS(SVG, "title");
      title.textContent = `${method}, k = ${point.k}: loss ${point.loss.toFixed(3)}`;
      dot.append(title);
    }
    add(svg, "rect", { class: `key ${colour}`, x: place, y: TOP - 24, width: 12, height: 12 });
    const label = add(svg, "text", { x: place + 17, y: TOP - 14 }, method);
    place += 34 + (label.getComputedTextLength?.() || method.length * 7);
  });
}

export async function draw(figure) {
  const svg = figure.querySelector("svg");
  const points = await (await fetch(figure.dataset.chart)).json();
  paint(svg, points);
  figure.addEventListener("point", (event) => {
    const point = event.detail;
    if (points.some((known) => known.method === point.method && known.k === point.k)) return;
    points.push(point);
    paint(svg, points);
    figure.dataset.points = points.length;
  });
}
