// The head view: one layer at a time, its heads as lines of their own colours.

views.head = async (root, data) => {
  const layers = data.layers.map((_, k) => new Layer(data, k));
  const says = sentence.line("Point at a token, or tab to one and use the arrows, to see where it looks. Enter holds it.");
  const state = {layer: layers[0], ticked: new Map(), sort: "number"};
  const choiceOfRows = new RowChoice(data, () => update());
  const lines = new TokenLines(["queries", "keys"], (target) => pointed(target));

  const sorts = [["number", "number"], ["entropy", "entropy"], ["distance", "distance"], ["token", "attention to the token"]];
  const sort = choice("Sort heads by", "sort", sorts, (value) => {
    state.sort = value;
    order();
  });
  const layerChoice = choice("Layer", "layer", layers.map((layer, k) => [k, layer.name]), (k) => {
    state.layer = layers[k];
    update();
  });
  const heads = el("fieldset", {class: "heads"});
  const main = el("main", {tabindex: -1});
  root.append(
    el("div", {class: "controls"}, layerChoice, ...choiceOfRows.controls, sort),
    heads, says,
    el("div", {class: "columns", "aria-hidden": "true"}, el("span", {}, "query"), el("span", {}, "key")),
    main,
  );
  lines.mount(main);

  // The boxes of a layer's heads. What was ticked stays ticked in the next layer.
  function boxes() {
    const {layer, ticked} = state;
    const all = (on) => () => {
      for (let h = 0; h < layer.H; h++) ticked.set(h, on);
      boxes();
      show();
    };
    state.chips = Array.from({length: layer.H}, (_, h) => {
      if (!ticked.has(h)) ticked.set(h, true);
      const box = el("input", {type: "checkbox", name: "head", value: h, checked: ticked.get(h), onchange: () => {
        ticked.set(h, box.checked);
        show();
      }});
      const alone = () => {
        for (let k = 0; k < layer.H; k++) ticked.set(k, k === h);
        boxes();
        show();
      };
      return el("label", {class: "chip", "data-head": h, title: `head ${h + 1}; a double click ticks it alone`, ondblclick: alone}, box, swatch(h), `${h + 1}`, el("span", {class: "measure"}));
    });
    const button = (text, on) => el("button", {type: "button", name: text, onclick: all(on)}, text);
    heads.replaceChildren(el("legend", {}, "Heads"), ...state.chips, button("all", true), button("none", false));
    order();
  }

  // The measure by which heads are sorted, of each head, or null where it means nothing.
  function measures() {
    const {layer, sort: by} = state, target = lines.target;
    if (by === "entropy") return layer.entropy;
    if (by === "distance") return layer.distance;
    if (by !== "token" || !target || !state.matrices) return null;
    const [queries, keys] = state.rows, {row} = target;
    // in self-attention a token is a key too, wherever it was picked
    const key = target.side ? row : layer.own ? keys.findIndex((other) => other.members[0] === queries[row].members[0]) : -1;
    return state.matrices.map((matrix) => {
      let sum = 0, largest = 0;
      for (let q = 0; q < queries.length; q++) sum += key < 0 ? 0 : matrix[q * keys.length + key];
      for (let s = 0; s < keys.length; s++) largest = Math.max(largest, target.side ? 0 : matrix[row * keys.length + s]);
      return key < 0 ? largest : sum / queries.length;
    });
  }

  function order() {
    const values = measures(), largestFirst = state.sort === "token";
    const sorted = [...state.chips.keys()].sort((a, b) => (values ? (largestFirst ? values[b] - values[a] : values[a] - values[b]) : 0) || a - b);
    state.chips.forEach((chip, h) => (chip.querySelector(".measure").textContent = values && values[h] !== null ? values[h].toFixed(2) : ""));
    const last = heads.querySelector("button"), now = [...heads.querySelectorAll(".chip")];
    if (sorted.some((h, k) => now[k] !== state.chips[h])) for (const h of sorted) heads.insertBefore(state.chips[h], last);
  }

  function pointed(target) {
    if (state.sort === "token") order();
    if (!target) {
      says.textContent = "";
      return;
    }
    const {heads: shown, rows} = lines, name = rows[target.side][target.row].name;
    const which = shown.length === 1 ? ` (head ${shown[0].number + 1})` : ` (mean of ${shown.length} heads)`;
    const verb = target.side ? "is looked at by" : "looks at";
    says.textContent = shown.length ? sentence.looks(name, verb, rows[1 - target.side], lines.weights) + which : "No head is ticked.";
  }

  function show() {
    const {layer, matrices, rows} = state;
    const shown = matrices.map((matrix, number) => ({matrix, number, ...colour.line(number)})).filter(({number}) => state.ticked.get(number));
    root.dataset.layer = layer.name;
    root.dataset.heads = shown.map(({number}) => number).join(" ");
    lines.show(rows, shown, [layer.querySide.rtl, layer.keySide.rtl]);
  }

  async function update() {
    const layer = await state.layer.load();
    if (layer !== state.layer) return; // another one was chosen meanwhile
    for (const option of sort.querySelectorAll("option")) if (option.value === "distance") option.disabled = !layer.distance;
    state.rows = choiceOfRows.rows(layer);
    state.matrices = Array.from({length: layer.H}, (_, h) => matrixOf(layer, h, ...state.rows));
    boxes();
    show();
  }

  colour.onChange(() => boxes());
  await update();
};

// A short piece of a head's line.
function swatch(h) {
  const {colour: stroke, dash} = colour.line(h), make = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
  const svg = make("svg"), line = make("line");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("viewBox", "0 0 18 8");
  for (const [key, value] of Object.entries({x1: 0, x2: 18, y1: 4, y2: 4, stroke, "stroke-width": 3, "stroke-dasharray": dash.join(" ")})) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}
