// The token view: a text on the colours of signed scores, one row of it for each list of scores.

views.token = async (root, data) => {
  const [side] = data.sides;
  const says = sentence.line("Point at a token, or tab to the text and use the arrows.");
  const state = {hide: false, join: false, numbers: false};
  const set = (key) => (value) => {
    state[key] = value;
    update();
  };
  const scale = colour.scale("diverging", "", "");
  const texts = el("main", {tabindex: -1});
  root.append(
    el("div", {class: "controls"},
      side.frames.length ? tick("hide special tokens", "hide", set("hide")) : null,
      side.words ? tick("join sub-words", "join", set("join")) : null,
      tick("show the numbers", "numbers", set("numbers")), scale),
    says, texts,
  );

  function update() {
    const rows = rowsOf(side, state);
    const lists = data.rows.map(({name, scores}) => ({name, sums: rows.map(({members}) => members.reduce((sum, k) => sum + scores[k], 0))}));
    const most = Math.max(...lists.flatMap(({sums}) => sums.map(Math.abs)), 0);
    scale.setEnds(signed(-most), signed(most));
    says.textContent = "";
    texts.replaceChildren(...lists.map(({name, sums}) => {
      const total = sums.reduce((sum, score) => sum + Math.abs(score), 0);
      const words = sums.map((score, k) => {
        const share = total ? Math.round((100 * Math.abs(score)) / total) : 0;
        const said = `${name ? `${name}: ` : ""}${rows[k].name} ${signed(score)}, ${share} % of the sizes of all`;
        const number = state.numbers ? el("small", {}, signed(score)) : null;
        const word = el("span", {class: "word", role: "option", tabindex: k ? -1 : 0, "data-row": k, "data-score": score.toPrecision(4), "aria-label": said}, el("bdi", {}, rows[k].label), number);
        [word.style.background, word.style.color] = colour.pair(most ? 0.5 + score / (2 * most) : 0.5, "diverging");
        for (const event of ["pointerenter", "focus"]) word.addEventListener(event, () => (says.textContent = said));
        for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => (says.textContent = ""));
        return word;
      });
      const text = el("div", {class: "text", role: "listbox", "aria-orientation": "horizontal", "aria-label": name || "text", dir: side.rtl ? "rtl" : "ltr", onkeydown: rove}, ...words);
      return el("section", {}, name ? el("h2", {}, name) : null, text);
    }));
  }

  colour.onChange(update);
  update();
};
