// Lines between two columns of tokens. The lists are elements, so that they can be reached, read out and searched; the lines are drawn on a canvas no larger than
// what is seen of them, once for all and once more for the token that is pointed at: a hover draws a few hundred lines, whatever the size of the map.

const ROW = 22; // pixels from token to token, as in page.css
const FAINTEST = 0.01; // a line below it cannot be seen
const MOST = 20000; // lines of a map that are drawn while it is scrolled; of more, the strongest. Those of the token that is pointed at are all drawn.

class TokenLines {
  // names: what the columns are called; point: called with {side, row} or null when that changes.
  constructor(names, point) {
    this.point = point;
    this.held = null; // what was clicked
    this.pointed = null; // what is pointed at, or has the focus
    this.lists = names.map((name, side) => this.list(name, side));
    this.canvases = [el("canvas", {"aria-hidden": "true"}), el("canvas", {"aria-hidden": "true"})];
    this.between = el("div", {class: "between"}, el("div", {}, ...this.canvases));
    this.root = el("div", {class: "lines"}, this.lists[0], this.between, this.lists[1]);
    this.draw = eachFrame(() => this.drawAll());
    this.drawTarget = eachFrame(() => this.drawLines());
    colour.onChange(() => this.colours());
    new ResizeObserver(this.draw).observe(this.between);
  }

  // Puts the lines into their place, an element that scrolls.
  mount(parent) {
    this.parent = parent;
    parent.append(this.root);
    parent.addEventListener("scroll", this.draw, {passive: true});
    new ResizeObserver(this.draw).observe(parent);
  }

  list(name, side) {
    const over = (event) => this.rowOf(event.target) !== null && this.hover({side, row: this.rowOf(event.target)});
    return el("ol", {
      role: "listbox", class: side ? "to" : "from", "aria-label": name,
      onpointerover: over, onfocusin: over,
      onpointerleave: () => this.hover(null), onfocusout: () => this.hover(null),
      onclick: (event) => this.rowOf(event.target) !== null && this.hold({side, row: this.rowOf(event.target)}),
      onkeydown: (event) => this.key(event, side),
    });
  }

  rowOf(node) {
    const item = node.closest("li");
    return item ? Number(item.dataset.row) : null;
  }

  // rows: [queries, keys]; heads: [{matrix, colour, dash}], those that are ticked. Called again after any change.
  show(rows, heads, rtl = [false, false]) {
    const same = this.rows && this.rows.every((side, k) => side.length === rows[k].length && side.every((row, i) => row.label === rows[k][i].label));
    this.rows = rows;
    this.heads = heads;
    if (!same) {
      this.held = this.pointed = null;
      this.lists.forEach((list, side) => {
        list.dir = rtl[side] ? "rtl" : "ltr";
        list.replaceChildren(...rows[side].map((row, k) => el("li", {role: "option", "aria-selected": "false", tabindex: k ? -1 : 0, "data-row": k, title: `token ${row.members[0]}`}, el("bdi", {}, row.label))));
      });
    }
    this.collect();
    this.highlight();
    this.drawAll();
  }

  // The lines of all ticked heads, the strongest MOST of them: for each head the rows at both ends and the weight.
  collect() {
    const [queries, keys] = this.rows, counts = new Uint32Array(101);
    for (const {matrix} of this.heads) for (let k = 0; k < matrix.length; k++) counts[Math.min(100, Math.floor(100 * matrix[k]))]++;
    let least = 100;
    for (let sum = counts[100]; least > 1 && (sum += counts[least - 1]) <= MOST; ) least--;
    const floor = Math.max(FAINTEST, least / 100);
    this.edges = this.heads.map(({matrix}) => {
      const edges = [];
      for (let q = 0, k = 0; q < queries.length; q++) for (let s = 0; s < keys.length; s++, k++) if (matrix[k] >= floor) edges.push([q, s, matrix[k]]);
      return edges;
    });
  }

  // The mean weights over the ticked heads of what one token looks at, or of what looks at it.
  weightsOf({side, row}) {
    const keys = this.rows[1].length, weights = new Float32Array(this.rows[1 - side].length);
    for (const {matrix} of this.heads) for (let k = 0; k < weights.length; k++) weights[k] += matrix[side ? k * keys + row : row * keys + k] / this.heads.length;
    return weights;
  }

  hover(target) {
    this.pointed = target;
    this.highlight();
  }

  hold(target) {
    const again = this.held && this.held.side === target.side && this.held.row === target.row;
    this.held = again ? null : target;
    for (const item of this.root.querySelectorAll('[aria-selected="true"]')) item.setAttribute("aria-selected", "false");
    if (this.held) this.lists[target.side].children[target.row].setAttribute("aria-selected", "true");
    this.highlight();
  }

  key(event, side) {
    const row = this.rowOf(event.target), last = this.rows[side].length - 1;
    const moves = {ArrowDown: [side, row + 1], ArrowUp: [side, row - 1], Home: [side, 0], End: [side, last], PageDown: [side, row + 10], PageUp: [side, row - 10], ArrowLeft: [0, row], ArrowRight: [1, row]};
    if (event.key in moves) {
      const [next, wanted] = moves[event.key];
      const place = Math.max(0, Math.min(this.rows[next].length - 1, wanted));
      if (place < 0) return;
      for (const item of this.lists[next].querySelectorAll('[tabindex="0"]')) item.tabIndex = -1;
      const item = this.lists[next].children[place];
      item.tabIndex = 0;
      item.focus();
    } else if (event.key === "Enter" || event.key === " ") this.hold({side, row});
    else if (event.key === "Escape") {
      if (this.held) this.hold(this.held);
    } else return;
    event.preventDefault();
  }

  // Marks the token and what it is linked with, and draws its lines.
  highlight() {
    for (const item of this.root.querySelectorAll("li.pointed, li[data-weight]")) {
      item.classList.remove("pointed");
      delete item.dataset.weight;
      item.style.background = item.style.color = "";
    }
    const target = this.pointed ?? this.held;
    this.target = target;
    if (target) {
      this.lists[target.side].children[target.row].classList.add("pointed");
      this.weights = this.weightsOf(target);
      this.weights.forEach((weight, k) => {
        if (weight < 0.005) return;
        const item = this.lists[1 - target.side].children[k];
        item.dataset.weight = weight.toFixed(3);
        [item.style.background, item.style.color] = colour.pair(weight);
      });
    }
    this.canvases[0].classList.toggle("quiet", Boolean(target));
    this.drawTarget();
    this.point(target);
  }

  colours() {
    if (!this.rows) return;
    for (const [k, head] of this.heads.entries()) Object.assign(head, colour.line(head.number ?? k));
    this.highlight();
    this.drawAll();
  }

  drawAll() {
    if (!this.parent || !this.rows) return;
    const width = this.between.clientWidth, height = Math.min(this.parent.clientHeight, ROW * Math.max(...this.rows.map((rows) => rows.length)));
    this.contexts = this.canvases.map((canvas) => sizeCanvas(canvas, width, height));
    this.top = Math.min(this.parent.scrollTop, Math.max(0, this.between.clientHeight - height));
    this.size = [width, height];
    const [context] = this.contexts;
    this.heads.forEach((head, h) => this.stroke(context, head, this.edges[h]));
    this.drawTarget();
  }

  // The lines of the token that is pointed at.
  drawLines() {
    if (!this.contexts) return;
    const [, context] = this.contexts, {target} = this;
    context.clearRect(0, 0, ...this.size);
    let count = 0;
    if (target) {
      const keys = this.rows[1].length;
      for (const head of this.heads) {
        const edges = [];
        for (let k = 0; k < this.rows[1 - target.side].length; k++) {
          const [q, s] = target.side ? [k, target.row] : [target.row, k], weight = head.matrix[q * keys + s];
          if (weight >= FAINTEST) edges.push([q, s, weight]);
        }
        count += edges.length;
        this.stroke(context, head, edges);
      }
    }
    this.canvases[1].dataset.lines = count;
    this.canvases[1].dataset.token = target ? `${target.side ? "to" : "from"} ${target.row}` : "";
  }

  // Draws lines as opaque as their weights, those of like weight in one go.
  stroke(context, head, edges) {
    const [width, height] = this.size, paths = new Map();
    for (const [q, s, weight] of edges) {
      const y = (q + 0.5) * ROW - this.top, z = (s + 0.5) * ROW - this.top;
      if ((y < 0 || y > height) && (z < 0 || z > height)) continue; // neither token is seen
      const step = Math.min(100, Math.max(1, Math.round(100 * weight)));
      if (!paths.has(step)) paths.set(step, new Path2D());
      // only what is seen of it: dashes outside would be drawn as well
      const at = (edge) => Math.max(0, Math.min(1, (edge - y) / (z - y || 1))), [a, b] = z > y ? [at(0), at(height)] : z < y ? [at(height), at(0)] : [0, 1];
      paths.get(step).moveTo(a * width, y + a * (z - y));
      paths.get(step).lineTo(b * width, y + b * (z - y));
    }
    context.strokeStyle = head.colour;
    context.setLineDash(head.dash);
    context.lineWidth = 2;
    for (const [step, path] of paths) {
      context.globalAlpha = step / 100;
      context.stroke(path);
    }
    context.globalAlpha = 1;
  }
}
