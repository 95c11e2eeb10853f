// The controls that choose rows, shared by the views of many layers: direction between two sentences, special tokens, sub-words.

const PAIRS = [["all", "all"], ["0 0", "A → A"], ["0 1", "A → B"], ["1 0", "B → A"], ["1 1", "B → B"]];

class RowChoice {
  constructor(data, change) {
    this.state = {pair: "all", hide: false, join: false};
    const set = (key) => (value) => {
      this.state[key] = value;
      change();
    };
    this.controls = [
      data.sides.some((side) => side.segments) ? choice("Sentences", "pair", PAIRS, set("pair")) : null,
      data.sides.some((side) => side.frames.length) ? tick("hide special tokens", "hide", set("hide")) : null,
      data.sides.some((side) => side.words) ? tick("join sub-words", "join", set("join")) : null,
    ].filter(Boolean);
  }

  // The rows of a layer: [queries, keys].
  rows(layer) {
    const {pair, hide, join} = this.state;
    const [from, to] = pair === "all" ? [null, null] : pair.split(" ").map(Number);
    return [rowsOf(layer.querySide, {hide, join, segment: from}), rowsOf(layer.keySide, {hide, join, segment: to})];
  }
}
