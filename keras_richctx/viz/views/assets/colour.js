// Light and dark, and the colours of numbers: 256 steps of matplotlib's maps, which the colour-blind can read.

const colour = {
  data: null, // maps of both pages, as bytes
  listeners: [],

  start(data) {
    this.data = {};
    for (const theme of ["light", "dark"]) {
      const {map, diverging, lines} = data.maps[theme];
      this.data[theme] = {map: bytesOf(map), diverging: bytesOf(diverging), lines};
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
  },

  get dark() {
    const {theme} = document.documentElement.dataset;
    return theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  },

  // The 256 steps of a map, "map" or "diverging", of the page as it is now.
  steps(kind = "map") {
    return this.data[this.dark ? "dark" : "light"][kind];
  },

  // The colour of a value from 0 to 1, as bytes red, green, blue.
  rgb(value, kind = "map") {
    const k = 3 * Math.max(0, Math.min(255, Math.round(255 * value)));
    return this.steps(kind).subarray(k, k + 3);
  },

  // Background and ink of a value: black or white, whichever stands out more (WCAG 2.2).
  pair(value, kind = "map") {
    const [r, g, b] = this.rgb(value, kind);
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    const luminance = 0.2126 * x + 0.7152 * y + 0.0722 * z;
    return [`rgb(${r},${g},${b})`, (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "black" : "white"];
  },

  // The line of head number k. Five colours; then the same ones dashed, then dotted.
  line(k) {
    const {lines} = this.data[this.dark ? "dark" : "light"];
    return {colour: lines[k % lines.length], dash: [[], [7, 4], [2, 3]][Math.floor(k / lines.length) % 3]};
  },

  ink(name = "ink") {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  },

  onChange(draw) {
    this.listeners.push(draw);
  },

  changed() {
    for (const draw of this.listeners) draw();
  },

  // The switch in the corner: the other one of light and dark.
  button() {
    const label = () => (this.dark ? "Light page" : "Dark page");
    const button = el("button", {type: "button", name: "theme", onclick: () => {
      document.documentElement.dataset.theme = this.dark ? "light" : "dark";
      this.changed();
    }}, label());
    this.onChange(() => (button.textContent = label()));
    return button;
  },

  // A strip of the colours with the values at its ends.
  scale(kind, low, high) {
    const canvas = el("canvas", {width: 256, height: 1, "aria-hidden": "true"});
    const ends = [el("span", {}, low), el("span", {}, high)];
    const draw = () => {
      const context = canvas.getContext("2d"), image = context.createImageData(256, 1), steps = this.steps(kind);
      for (let k = 0; k < 256; k++) image.data.set([steps[3 * k], steps[3 * k + 1], steps[3 * k + 2], 255], 4 * k);
      context.putImageData(image, 0, 0);
    };
    draw();
    this.onChange(draw);
    const strip = el("span", {class: "scale"}, ends[0], canvas, ends[1]);
    strip.setEnds = (first, last) => [ends[0].textContent, ends[1].textContent] = [first, last];
    return strip;
  },
};
