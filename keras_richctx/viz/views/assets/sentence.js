// What is seen, said: a line of text that screen readers read out when it changes.

const sentence = {
  line(hint) {
    return el("p", {class: "says", role: "status", "aria-live": "polite", "data-hint": hint});
  },

  // "'it' looks at 'animal' 0.62, 'street' 0.11": the three largest of at least 0.01, then how many more.
  looks(name, verb, rows, weights) {
    const order = [...weights.keys()].filter((k) => weights[k] >= 0.01).sort((a, b) => weights[b] - weights[a]);
    if (!order.length) return `${name} ${verb} nothing by 0.01 or more`;
    const said = order.slice(0, 3).map((k) => `${rows[k].name} ${weights[k].toFixed(2)}`).join(", ");
    const more = order.length - 3;
    return `${name} ${verb} ${said}${more > 0 ? `, and ${more} more by 0.01 or more` : ""}`;
  },
};
