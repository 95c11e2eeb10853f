// A heat map on a canvas, with tokens at both sides: queries from top to bottom, keys from left to right, or from right to left where they are written so.

const LABEL = 13; // pixels of a letter
const GOLD = "#0096ff"; // as in keras_richctx/viz/alignment.py

class HeatMap {
  // said: called with a sentence about the cell that is pointed at, or "".
  constructor(said) {
    this.said = said;
    this.cell = null;
    this.canvas = el("canvas", {
      tabindex: 0, role: "img",
      onpointermove: (event) => this.move(this.cellAt(event)), onpointerleave: () => this.move(null),
      onkeydown: (event) => this.key(event),
      onfocus: () => this.move(this.cell ?? [0, 0]), onblur: () => this.move(null),
    });
    this.root = el("div", {class: "map"}, this.canvas);
    colour.onChange(() => this.matrix && this.canvas.isConnected && this.draw());
  }

  // matrix: Float32Array, row by row; rows: [queries, keys]; most: the value of the last colour; room: [width, height] that there is;
  // linked(query, key): whether a cell is outlined, or null.
  show(matrix, rows, {most = 1, rtl = false, room = [700, 500], what = "", linked = null} = {}) {
    Object.assign(this, {matrix, rows, most, rtl, linked, cell: null});
    const context = this.canvas.getContext("2d");
    context.font = this.font();
    const keyWidths = rows[1].map(({label}) => context.measureText(label).width);
    const widths = [rows[0].map(({label}) => context.measureText(label).width), keyWidths].map((side) => Math.min(220, Math.max(0, ...side)));
    const [height, width] = rows.map((side) => side.length);
    this.left = widths[0] + 10;
    // labels lie flat where they fit into a cell; slanting, they take room above the map and at the end of it
    const above = widths[1] * Math.SQRT1_2, cell = (slant) => {
      const over = slant ? above + 4 : 4, top = slant ? above + LABEL + 6 : LABEL + 10;
      return {over, top, size: Math.max(2, Math.min(36, Math.floor(Math.min((room[0] - this.left - over) / width, (room[1] - top - 4) / height))))};
    };
    Object.assign(this, cell(false));
    this.slant = Math.max(0, ...keyWidths) + 6 > this.size;
    if (this.slant) Object.assign(this, cell(true));
    this.width = this.left + width * this.size + this.over;
    this.height = this.top + height * this.size + 2;
    this.canvas.setAttribute("aria-label", `${what}. Heat map of ${height} queries by ${width} keys; the arrows go from cell to cell.`);
    this.draw();
  }

  font() {
    return `${LABEL}px ${getComputedStyle(document.body).fontFamily}`;
  }

  x(column) {
    return this.left + (this.rtl ? this.rows[1].length - 1 - column : column) * this.size;
  }

  draw() {
    const context = sizeCanvas(this.canvas, this.width, this.height), [queries, keys] = this.rows, {size, top} = this;
    const picture = mapPicture(this.matrix, queries.length, keys.length, this.most, this.rtl);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, this.left, top, keys.length * size, queries.length * size);
    context.strokeStyle = colour.ink("faint");
    context.strokeRect(this.left - 0.5, top - 0.5, keys.length * size + 1, queries.length * size + 1);
    context.font = this.font();
    context.fillStyle = colour.ink();
    context.textBaseline = "middle";
    const every = Math.ceil((LABEL + 2) / size), everySlanting = Math.ceil((LABEL * Math.SQRT2) / size); // labels that find room
    context.textAlign = "right";
    queries.forEach(({label}, t) => t % every || context.fillText(shorten(context, label), this.left - 6, top + (t + 0.5) * size));
    keys.forEach(({label}, s) => {
      if (s % (this.slant ? everySlanting : every)) return;
      context.save();
      context.translate(this.x(s) + size / 2, top - 6);
      context.textAlign = this.slant ? "left" : "center";
      if (this.slant) context.rotate(-Math.PI / 4);
      context.fillText(shorten(context, label), 0, this.slant ? 0 : -LABEL / 2);
      context.restore();
    });
    if (this.linked) {
      context.strokeStyle = GOLD;
      context.lineWidth = 1.6;
      queries.forEach((_, t) => keys.forEach((_, s) => this.linked(t, s) && context.strokeRect(this.x(s) + 0.08 * size, top + (t + 0.08) * size, 0.84 * size, 0.84 * size)));
      context.lineWidth = 1;
    }
    if (this.cell) {
      const [t, s] = this.cell;
      context.strokeStyle = colour.ink("accent");
      context.lineWidth = 2;
      context.strokeRect(this.x(s), top + t * size, size, size);
      context.lineWidth = 1;
      context.strokeRect(this.left, top + t * size, keys.length * size, size);
      context.strokeRect(this.x(s), top, size, queries.length * size);
    }
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect(), [queries, keys] = this.rows;
    const column = Math.floor((event.clientX - box.left - this.left) / this.size), t = Math.floor((event.clientY - box.top - this.top) / this.size);
    const s = this.rtl ? keys.length - 1 - column : column;
    return t >= 0 && t < queries.length && s >= 0 && s < keys.length ? [t, s] : null;
  }

  move(cell) {
    this.cell = cell;
    this.draw();
    if (!cell) {
      delete this.canvas.dataset.cell;
      this.said("");
      return;
    }
    const [t, s] = cell, [queries, keys] = this.rows, weight = this.matrix[t * keys.length + s];
    this.canvas.dataset.cell = `${t} ${s} ${weight.toFixed(3)}`;
    const link = this.linked?.(t, s) ? ", a gold link" : "";
    this.said(`${queries[t].name} looks at ${keys[s].name} ${weight.toFixed(weight < 0.01 ? 4 : 2)}${link}`);
  }

  key(event) {
    const step = this.rtl ? -1 : 1, moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -step], ArrowRight: [0, step]};
    if (!(event.key in moves)) return;
    event.preventDefault();
    event.stopPropagation();
    const [t, s] = this.cell ?? [0, 0], [down, right] = moves[event.key], [queries, keys] = this.rows;
    this.move([Math.max(0, Math.min(queries.length - 1, t + down)), Math.max(0, Math.min(keys.length - 1, s + right))]);
  }
}

// A canvas with a point for each weight.
function mapPicture(matrix, height, width, most, rtl = false) {
  const canvas = el("canvas", {width, height}), context = canvas.getContext("2d"), image = context.createImageData(width, height), steps = colour.steps();
  for (let t = 0, k = 0; t < height; t++) {
    for (let s = 0; s < width; s++, k++) {
      const at = 4 * (t * width + (rtl ? width - 1 - s : s)), step = 3 * Math.min(255, Math.round((255 * matrix[k]) / most));
      image.data[at] = steps[step];
      image.data[at + 1] = steps[step + 1];
      image.data[at + 2] = steps[step + 2];
      image.data[at + 3] = 255;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// A label as long as there is room for it.
function shorten(context, label, room = 214) {
  if (context.measureText(label).width <= room) return label;
  let length = label.length;
  while (length > 1 && context.measureText(`${label.slice(0, length)}…`).width > room) length--;
  return `${label.slice(0, length)}…`;
}
