// The model view: a small heat map for each head of each layer, and one enlarged.

const SMALLEST = 36, LARGEST = 96; // pixels of a small map

views.model = async (root, data) => {
  const layers = data.layers.map((_, k) => new Layer(data, k));
  const says = sentence.line("Point at a map to hear of its head; click it, or press Enter, to enlarge it. The arrows go from map to map.");
  const state = {own: false, run: 0, cells: []};
  const choiceOfRows = new RowChoice(data, () => update());
  const scale = colour.scale("map", "0", "1");
  const range = choice("Colours", "range", [["all", "0 … 1"], ["own", "0 … largest of the head"]], (value) => {
    state.own = value === "own";
    scale.setEnds("0", state.own ? "largest" : "1");
    update();
  });
  const most = Math.max(...layers.map(({H}) => H));
  const side = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((window.innerWidth - 140) / most) - 6)); // so that all heads of a layer fit
  const body = el("tbody");
  const numbers = Array.from({length: most}, (_, h) => el("th", {scope: "col"}, `${h + 1}`));
  const grid = el("table", {class: "grid", onkeydown: (event) => key(event)}, el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "layer \\ head"), ...numbers)), body);
  root.append(el("div", {class: "controls"}, ...choiceOfRows.controls, range, scale), says, el("main", {}, grid));

  layers.forEach((layer, l) => {
    state.cells.push(Array.from({length: layer.H}, (_, h) => {
      const canvas = el("canvas", {"aria-hidden": "true"});
      const said = () => (says.textContent = about(layer, h));
      const button = el("button", {type: "button", "data-layer": l, "data-head": h, tabindex: l || h ? -1 : 0, "aria-label": `${layer.name}, head ${h + 1}`, onpointerenter: said, onfocus: said, onpointerleave: () => (says.textContent = ""), onclick: () => enlarge(l, h)}, canvas);
      return {layer, h, canvas, button};
    }));
    body.append(el("tr", {}, el("th", {scope: "row"}, layer.name), ...state.cells[l].map(({button}) => el("td", {}, button))));
  });

  function about(layer, h) {
    const entropy = layer.entropy[h] === null ? "" : `: entropy ${layer.entropy[h].toFixed(2)} bits`;
    const distance = layer.distance && layer.distance[h] !== null ? `, mean distance ${layer.distance[h].toFixed(1)}` : "";
    return `${layer.name}, head ${h + 1}${entropy}${distance}`;
  }

  // Draws layer by layer, and lets the page answer in between. A newer call ends an older one.
  async function update() {
    const run = ++state.run;
    root.dataset.drawn = "";
    for (const [l, layer] of layers.entries()) {
      await layer.load();
      if (run !== state.run) return;
      const rows = choiceOfRows.rows(layer);
      for (const cell of state.cells[l]) draw(cell, rows);
      await new Promise((done) => setTimeout(done));
    }
    root.dataset.drawn = "all";
  }

  // A small map: as many points as there are tokens, or the largest of several where there are more tokens than points.
  function draw({layer, h, canvas}, [queries, keys]) {
    const matrix = matrixOf(layer, h, queries, keys), longest = Math.max(queries.length, keys.length, 1);
    const fewer = Math.max(1, Math.ceil(longest / (side * (window.devicePixelRatio || 1))));
    const [height, width] = [queries.length, keys.length].map((count) => Math.ceil(count / fewer));
    const points = new Float32Array(height * width);
    for (let t = 0, k = 0; t < queries.length; t++) {
      const start = Math.floor(t / fewer) * width;
      for (let s = 0; s < keys.length; s++, k++) {
        const at = start + Math.floor(s / fewer);
        if (matrix[k] > points[at]) points[at] = matrix[k];
      }
    }
    const context = sizeCanvas(canvas, (side * keys.length) / longest || 1, (side * queries.length) / longest || 1);
    context.imageSmoothingEnabled = false;
    canvas.dataset.largest = Math.max(0, ...points).toFixed(3);
    if (!points.length) return;
    context.drawImage(mapPicture(points, height, width, mostOf(points), layer.keySide.rtl), 0, 0, parseFloat(canvas.style.width), parseFloat(canvas.style.height));
  }

  function mostOf(matrix) {
    let largest = 0;
    for (const value of matrix) if (value > largest) largest = value;
    return state.own ? largest || 1 : 1;
  }

  function key(event) {
    const {layer, head} = event.target.dataset ?? {};
    const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
    if (layer === undefined || !(event.key in moves)) return;
    event.preventDefault();
    const next = near(Number(layer), Number(head), moves[event.key]);
    for (const {button} of state.cells.flat()) button.tabIndex = -1;
    next.button.tabIndex = 0;
    next.button.focus();
  }

  function near(l, h, [down, right]) {
    const line = state.cells[Math.max(0, Math.min(layers.length - 1, l + down))];
    return line[Math.max(0, Math.min(line.length - 1, h + right))];
  }

  // The enlarged map, in a dialog: Escape closes it, the buttons go to the neighbours.
  const heading = el("h1"), detail = sentence.line("Point at a cell, or tab to the map and use the arrows.");
  const map = new HeatMap((text) => (detail.textContent = text));
  const go = (text, name, move) => el("button", {type: "button", "aria-label": name, onclick: () => enlarge(...state.open, move)}, text);
  const close = el("button", {type: "button", name: "close", onclick: () => dialog.close()}, "Close");
  const dialog = el("dialog", {"aria-label": "One head"}, el("header", {}, heading, go("←", "head before", [0, -1]), go("→", "head after", [0, 1]), go("↑", "layer below", [-1, 0]), go("↓", "layer above", [1, 0]), close), detail, map.root);
  dialog.addEventListener("close", () => state.cells[state.open[0]][state.open[1]].button.focus());
  root.append(dialog);

  async function enlarge(l, h, move = [0, 0]) {
    const {layer, h: head} = near(l, h, move);
    state.open = [layers.indexOf(layer), head];
    await layer.load();
    const rows = choiceOfRows.rows(layer), matrix = matrixOf(layer, head, ...rows);
    heading.textContent = about(layer, head);
    detail.textContent = "";
    if (!dialog.open) dialog.showModal();
    map.show(matrix, rows, {most: mostOf(matrix), rtl: layer.keySide.rtl, room: [0.92 * window.innerWidth, window.innerHeight - 110], what: `${layer.name}, head ${head + 1}`});
  }

  colour.onChange(() => update());
  await update();
};
