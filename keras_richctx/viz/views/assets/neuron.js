// The neuron view: one head, one query: its vector, those of the keys, their products number by number, the scores, the softmax.

const LINE = 22; // pixels from key to key, as in page.css
const GAP = 14, NUMBERS = 64, BAR = 110; // pixels between the strips, of a column of numbers, of the longest bar

views.neuron = async (root, data) => {
  const layers = data.layers.map((_, k) => new Layer(data, k));
  const says = sentence.line("Point at a query on the left, then at a key; or tab to them and use the arrows.");
  const note = el("p", {class: "note"});
  const state = {layer: layers[0], head: 0, query: 0, key: null, run: 0};
  const headChoice = el("span");
  const layerChoice = choice("Layer", "layer", layers.map((layer, k) => [k, layer.name]), (k) => {
    state.layer = layers[k];
    update();
  });
  const canvas = el("canvas", {"aria-hidden": "true"});
  const titles = el("canvas", {"aria-hidden": "true"});
  const lists = ["queries", "keys"].map((name, side) => el("ol", {
    role: "listbox", class: side ? "to" : "from", "aria-label": name,
    onpointerover: (event) => point(side, event), onfocusin: (event) => point(side, event), onpointerleave: () => side && leave(), onfocusout: () => side && leave(),
    onkeydown: (event) => move(side, event),
  }));
  const strips = el("div", {class: "between"}, el("div", {}, canvas));
  const main = el("main", {tabindex: -1, class: "vectors"}, el("div", {class: "neurons"}, lists[0], lists[1], strips));
  root.append(el("div", {class: "controls"}, layerChoice, headChoice, colour.scale("diverging", "− largest", "+ largest")), note, says, titles, main);
  const redraw = eachFrame(() => draw());
  main.addEventListener("scroll", redraw, {passive: true});
  new ResizeObserver(redraw).observe(main);

  function point(side, event) {
    const item = event.target.closest("li");
    if (!item) return;
    state[side ? "key" : "query"] = Number(item.dataset.row);
    if (!side) state.key = null;
    show();
  }

  function leave() {
    state.key = null;
    show();
  }

  function move(side, event) {
    const row = Number(event.target.closest("li").dataset.row), count = lists[side].children.length;
    const moves = {ArrowDown: [side, row + 1], ArrowUp: [side, row - 1], Home: [side, 0], End: [side, count - 1], ArrowLeft: [0, state.query], ArrowRight: [1, row]};
    if (!(event.key in moves)) return;
    event.preventDefault();
    const [next, wanted] = moves[event.key], items = lists[next].children, item = items[Math.max(0, Math.min(items.length - 1, wanted))];
    for (const other of items) other.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  // The vectors of a layer, unpacked once.
  async function vectorsOf(layer) {
    layer.unpacked ??= Promise.all(["query", "key"].map(async (name) => {
      const {shape, step, codes} = layer.vectors[name], bytes = await unpack(codes, 2 * shape[0] * shape[1] * shape[2]);
      const view = new DataView(bytes.buffer, bytes.byteOffset), numbers = new Float32Array(bytes.length / 2);
      for (let k = 0; k < numbers.length; k++) numbers[k] = view.getInt16(2 * k, true) * step;
      return numbers;
    }));
    return layer.unpacked;
  }

  async function update() {
    const run = ++state.run, {layer} = state;
    await layer.load();
    const [q, k] = await vectorsOf(layer);
    if (run !== state.run) return;
    Object.assign(state, {q, k, K: layer.vectors.query.shape[2], key: null, head: Math.min(state.head, layer.H - 1)});
    const heads = Array.from({length: layer.H}, (_, h) => [h, `${h + 1}`]);
    headChoice.replaceChildren(choice("Head", "head", heads, (h) => {
      state.head = Number(h);
      show();
    }));
    headChoice.querySelector("select").value = state.head;
    state.rows = [rowsOf(layer.querySide), rowsOf(layer.keySide)];
    state.query = Math.min(state.query, state.rows[0].length - 1);
    lists.forEach((list, side) => list.replaceChildren(...state.rows[side].map((row, i) => el("li", {role: "option", tabindex: i ? -1 : 0, "data-row": i}, el("bdi", {}, row.label)))));
    note.textContent = layer.off > 0.01 ? `In this layer the softmax of these scores is up to ${layer.off.toFixed(2)} away from the weights: it adds something to its scores, or scales them otherwise.` : "";
    root.dataset.layer = layer.name;
    show();
  }

  // The numbers of the query that was picked: products, scores and weights.
  function compute() {
    const {layer, head, query, K, q, k} = state, {T, S} = layer;
    const own = q.subarray((head * T + query) * K, (head * T + query + 1) * K), keys = k.subarray(head * S * K, (head + 1) * S * K);
    const products = new Float32Array(S * K), scores = new Float32Array(S), weights = new Float32Array(S);
    for (let s = 0; s < S; s++) {
      let sum = 0;
      for (let d = 0; d < K; d++) sum += products[s * K + d] = own[d] * keys[s * K + d];
      scores[s] = sum * layer.scale;
      weights[s] = layer.bytes[(head * T + query) * S + s] * layer.steps[head];
    }
    return {own, keys, products, scores, weights};
  }

  function show() {
    state.numbers = compute();
    const {query, key, rows, numbers, K} = state;
    lists[0].querySelectorAll("li").forEach((item, i) => item.classList.toggle("pointed", i === query));
    lists[1].querySelectorAll("li").forEach((item, s) => {
      item.classList.toggle("pointed", s === key);
      item.dataset.score = numbers.scores[s].toFixed(3);
      item.dataset.weight = numbers.weights[s].toFixed(3);
    });
    const name = rows[0][query].name;
    if (key === null) says.textContent = sentence.looks(name, "looks at", rows[1], numbers.weights);
    else {
      const of = (d) => numbers.products[key * K + d];
      const largest = [...Array(K).keys()].sort((a, b) => Math.abs(of(b)) - Math.abs(of(a))).slice(0, 3);
      const said = largest.map((d) => `${signed(of(d))} at ${d}`).join(", ");
      says.textContent = `${name} with ${rows[1][key].name}: score ${signed(numbers.scores[key])}, weight ${numbers.weights[key].toFixed(2)}; the largest products are ${said}`;
    }
    redraw();
  }

  function draw() {
    if (!state.numbers) return;
    const {K, rows, key, query, numbers: {own, keys, products, scores, weights}} = state, count = rows[1].length;
    const width = Math.max(strips.clientWidth, 2 * K * 2 + 2 * GAP + NUMBERS + BAR), cell = Math.max(2, Math.min(14, Math.floor((width - 3 * GAP - NUMBERS - BAR - 44) / (2 * K))));
    const height = Math.min(main.clientHeight, LINE * Math.max(count, rows[0].length));
    const top = Math.min(main.scrollTop, Math.max(0, strips.clientHeight - height));
    const [atKeys, atProducts, atScores, atBars] = [GAP, 2 * GAP + K * cell, 3 * GAP + 2 * K * cell, 3 * GAP + 2 * K * cell + NUMBERS];
    const context = sizeCanvas(canvas, width, height), most = largest([own, keys]), mostProduct = largest([products]);
    const font = `13px ${getComputedStyle(document.body).fontFamily}`, ink = colour.ink();
    context.font = font;
    context.textBaseline = "middle";
    for (let s = Math.floor(top / LINE); s < Math.min(count, (top + height) / LINE); s++) {
      const y = s * LINE - top;
      strip(context, keys.subarray(s * K, (s + 1) * K), atKeys, y + 2, cell, LINE - 4, most);
      strip(context, products.subarray(s * K, (s + 1) * K), atProducts, y + 2, cell, LINE - 4, mostProduct);
      context.fillStyle = ink;
      context.textAlign = "right";
      context.fillText(signed(scores[s]), atScores + NUMBERS - 12, y + LINE / 2);
      context.fillStyle = colour.ink("accent");
      context.fillRect(atBars, y + 4, BAR * weights[s], LINE - 8);
      context.fillStyle = ink;
      context.textAlign = "left";
      context.fillText(weights[s].toFixed(2), atBars + BAR * weights[s] + 5, y + LINE / 2);
      if (s === key) {
        context.strokeStyle = colour.ink("accent");
        context.lineWidth = 1.5;
        context.strokeRect(atKeys - 3, y + 0.75, width - atKeys, LINE - 1.5);
      }
    }
    // above the list, where it stays: what each column is, and the vector of the query
    const left = strips.offsetLeft, head = sizeCanvas(titles, left + width, 46);
    head.font = font;
    head.fillStyle = ink;
    head.textBaseline = "middle";
    head.fillText("query", 4, 34);
    head.fillText("key", lists[1].offsetLeft + 6, 34);
    head.fillText(`query of ${rows[0][query].name}, above the keys`, left + atKeys, 8);
    head.fillText("query × key", left + atProducts, 34);
    head.fillText("score", left + atScores + NUMBERS - 12 - head.measureText("score").width, 34);
    head.fillText("softmax", left + atBars, 34);
    strip(head, own, left + atKeys, 24, cell, LINE - 4, most);
  }

  colour.onChange(redraw);
  await update();
};

// A vector as a strip of colours, orange or red below zero, purple or blue above.
function strip(context, values, x, y, cell, height, most) {
  for (let d = 0; d < values.length; d++) {
    const [r, g, b] = colour.rgb(0.5 + values[d] / (2 * most), "diverging");
    context.fillStyle = `rgb(${r},${g},${b})`;
    context.fillRect(x + d * cell, y, cell, height);
  }
}

function largest(arrays) {
  let most = 1e-30;
  for (const array of arrays) for (const value of array) if (Math.abs(value) > most) most = Math.abs(value);
  return most;
}
