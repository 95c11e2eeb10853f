// The alignment view: one map, as a matrix or as lines.

views.alignment = async (root, data) => {
  const layer = await new Layer(data, 0).load();
  const says = sentence.line("Point at a cell or a word, or tab to it and use the arrows.");
  const state = {form: "matrix"};
  const choiceOfRows = new RowChoice(data, () => update());
  const gold = new Set(data.gold.map(([source, target]) => `${target} ${source}`));
  const map = new HeatMap((text) => (says.textContent = text));
  const lines = new TokenLines(["target", "source"], (target) => {
    const [rows, verb] = target ? [lines.rows, target.side ? "is looked at by" : "looks at"] : [];
    says.textContent = target ? sentence.looks(rows[target.side][target.row].name, verb, rows[1 - target.side], lines.weights) : "";
  });
  const buttons = ["matrix", "lines"].map((form) => el("button", {type: "button", name: form, onclick: () => {
    state.form = form;
    update();
  }}, form));
  const legend = data.gold.length ? el("span", {class: "gold"}, "outlined: gold links") : null;
  const scale = colour.scale("map", "0", "1");
  const columns = el("div", {class: "columns", "aria-hidden": "true"}, el("span", {}, "target"), el("span", {}, "source"));
  const main = el("main", {tabindex: -1}, map.root);
  root.append(el("div", {class: "controls"}, el("span", {role: "group", "aria-label": "Form"}, ...buttons), ...choiceOfRows.controls, scale, legend), says, columns, main);
  lines.mount(main);

  function update() {
    const rows = choiceOfRows.rows(layer), matrix = matrixOf(layer, 0, ...rows), matrixForm = state.form === "matrix";
    for (const button of buttons) button.setAttribute("aria-pressed", button.name === state.form);
    root.dataset.form = state.form;
    map.root.hidden = !matrixForm;
    lines.root.hidden = columns.hidden = matrixForm;
    says.textContent = "";
    if (!matrixForm) lines.show(rows, [{matrix, number: 0, ...colour.line(0)}], [layer.querySide.rtl, layer.keySide.rtl]);
    else {
      // a joined word has the gold links of its parts
      const linked = (t, s) => rows[0][t].members.some((a) => rows[1][s].members.some((b) => gold.has(`${a} ${b}`)));
      map.show(matrix, rows, {rtl: layer.keySide.rtl, room: [main.clientWidth - 20, Math.max(260, main.clientHeight - 20)], what: "Alignment", linked: gold.size ? linked : null});
    }
  }

  new ResizeObserver(eachFrame(() => state.form === "matrix" && update())).observe(main);
  update();
};
