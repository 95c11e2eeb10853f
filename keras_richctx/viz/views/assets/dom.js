// The parts that pages are made of. Text becomes text nodes and never markup, whatever a token holds.

// el("button", {class: "wide", onclick: f}, "text", child): makes an element. What begins with "on" listens, what is null or false is left out.
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// A list to choose from; `options` are pairs of a value and what is shown. `change` gets the value as a string.
function choice(label, name, options, change) {
  const select = el("select", {name, onchange: () => change(select.value)}, ...options.map(([value, text]) => el("option", {value}, text)));
  return el("label", {}, label, select);
}

// A box to tick. `change` gets a boolean.
function tick(label, name, change, checked = false) {
  const box = el("input", {type: "checkbox", name, checked, onchange: () => change(box.checked)});
  return el("label", {}, box, label);
}

// A canvas of a size in CSS pixels, as sharp as the screen; returns its context, in which a unit is a CSS pixel.
function sizeCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Calls a function once before the next frame, however often it was asked for.
function eachFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

// The views by name: each script adds its own.
const views = {};
