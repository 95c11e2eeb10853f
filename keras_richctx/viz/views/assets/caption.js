// The caption view: a picture, and where each word of its caption looked.

const WIDEST = 640, HIGHEST = 420; // pixels of the picture on the page
const BEAT = 900; // milliseconds from word to word

views.caption = async (root, data) => {
  const layer = await new Layer(data, 0).load(), {H: count, T: down, S: across} = layer; // words, rows and columns of the grid
  const [side] = data.sides, {image} = data;
  const says = sentence.line("Point at a word, or tab to the caption and use the arrows. Point at the picture to see which words looked there.");
  const state = {form: "light", held: null, pointed: null, timer: null};
  const picture = await load(image.source);
  const scaleBy = Math.min(WIDEST / image.width, HIGHEST / image.height), width = image.width * scaleBy, height = image.height * scaleBy;
  const canvas = el("canvas", {role: "img", "aria-label": "The picture", class: scaleBy > 2 ? "coarse" : null, onpointermove: (event) => over(event), onpointerleave: () => show(null)});
  const forms = choice("Weights as", "form", [["light", "light"], ["colours", "colours"], ["none", "nothing"]], (value) => {
    state.form = value;
    draw();
  });
  const play = el("button", {type: "button", name: "play", onclick: () => (state.timer ? stop() : start())}, "Play");
  const scale = colour.scale("map", "0", "");
  const words = side.labels.map((label, t) => el("span", {
    class: "word", role: "option", tabindex: t ? -1 : 0, "aria-selected": "false", "data-row": t,
    onpointerenter: () => show(t), onpointerleave: () => show(null), onfocus: () => show(t), onblur: () => show(null), onclick: () => hold(t),
  }, el("bdi", {}, label)));
  const text = el("div", {class: "text", role: "listbox", "aria-orientation": "horizontal", "aria-label": "caption", dir: side.rtl ? "rtl" : "ltr", onkeydown: (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      hold(words.indexOf(event.target));
    } else rove(event);
  }}, ...words);
  const names = rowsOf(side).map(({name}) => name);
  root.append(el("div", {class: "controls"}, play, forms, scale), says, text, el("main", {tabindex: -1}, canvas));

  function weightAt(t, row, column) {
    return layer.bytes[(t * down + row) * across + column] * layer.steps[t];
  }

  function largestOf(t) {
    let best = [0, 0, 0];
    for (let row = 0; row < down; row++) for (let column = 0; column < across; column++) if (weightAt(t, row, column) > best[0]) best = [weightAt(t, row, column), row, column];
    return best;
  }

  // Shows where a word looked; null goes back to the one that is held, or to none.
  function show(t) {
    state.pointed = t;
    const word = t ?? state.held;
    words.forEach((node, k) => {
      node.classList.toggle("pointed", k === word);
      node.style.background = node.style.color = "";
      delete node.dataset.weight;
    });
    if (word === null) says.textContent = "";
    else {
      const [largest, row, column] = largestOf(word);
      says.textContent = `${names[word]} looks most at row ${row + 1} of ${down}, column ${column + 1} of ${across}: ${largest.toFixed(2)}; spread evenly it would be ${(1 / (down * across)).toFixed(3)}`;
      scale.setEnds("0", `${largest.toFixed(2)}, the largest of the word`);
    }
    draw();
  }

  function hold(t) {
    state.held = state.held === t ? null : t;
    words.forEach((node, k) => node.setAttribute("aria-selected", k === state.held));
    show(state.pointed);
  }

  // Which words looked at the part of the picture that is pointed at.
  function over(event) {
    const box = canvas.getBoundingClientRect();
    const row = Math.min(down - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * down)));
    const column = Math.min(across - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * across)));
    const weights = words.map((_, t) => weightAt(t, row, column)), most = Math.max(...weights);
    words.forEach((node, t) => {
      node.classList.remove("pointed");
      node.dataset.weight = weights[t].toFixed(3);
      [node.style.background, node.style.color] = colour.pair(most ? weights[t] / most : 0);
    });
    scale.setEnds("0", `${most.toFixed(2)}, the largest here`);
    says.textContent = sentence.looks(`Row ${row + 1}, column ${column + 1}`, "is looked at by", names.map((name) => ({name})), weights);
    draw([row, column]);
  }

  function draw(place = null) {
    const context = sizeCanvas(canvas, width, height), word = place ? null : state.pointed ?? state.held;
    context.imageSmoothingEnabled = scaleBy <= 2; // a picture of few pixels shows them
    context.drawImage(picture, 0, 0, width, height);
    canvas.dataset.word = word ?? "";
    if (place) {
      context.strokeStyle = colour.ink("accent");
      context.lineWidth = 3;
      context.strokeRect((place[1] * width) / across, (place[0] * height) / down, width / across, height / down);
    }
    if (word === null || state.form === "none") return;
    const [largest] = largestOf(word), veil = el("canvas", {width: across, height: down}), small = veil.getContext("2d"), points = small.createImageData(across, down);
    for (let k = 0; k < down * across; k++) {
      const share = largest ? weightAt(word, Math.floor(k / across), k % across) / largest : 0;
      if (state.form === "light") points.data.set([0, 0, 0, 255 * 0.85 * (1 - share)], 4 * k);
      else points.data.set([...colour.rgb(share), 255 * (0.25 + 0.5 * share)], 4 * k);
    }
    small.putImageData(points, 0, 0);
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "low"; // between the middles of the parts in straight lines; "high" would blur the middles themselves
    context.drawImage(veil, 0, 0, width, height);
  }

  function start() {
    let word = state.held ?? -1;
    const next = () => {
      word = (word + 1) % count;
      state.held = null;
      hold(word);
    };
    next();
    state.timer = setInterval(next, BEAT);
    play.textContent = "Stop";
  }

  function stop() {
    clearInterval(state.timer);
    state.timer = null;
    play.textContent = "Play";
  }

  colour.onChange(() => show(state.pointed));
  draw();
};

function load(source) {
  return new Promise((done, failed) => {
    const picture = new Image();
    picture.onload = () => done(picture);
    picture.onerror = () => failed(new Error("the picture cannot be read"));
    picture.src = source;
  });
}
