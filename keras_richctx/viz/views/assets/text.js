// What views of running text share: numbers with signs, and the arrows from word to word.

// A number with its sign.
function signed(value) {
  const size = Math.abs(value), text = size && (size < 0.001 || size >= 10000) ? size.toExponential(1) : size.toPrecision(3);
  return `${value < 0 ? "−" : "+"}${size ? text : 0}`;
}

// Moves the focus among the children of a list by the arrows; to the left is forward where the text runs from right to left.
function rove(event) {
  const items = [...event.currentTarget.children], at = items.indexOf(event.target.closest('[role="option"]'));
  const forward = getComputedStyle(event.currentTarget).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const moves = {ArrowDown: at + 1, ArrowUp: at - 1, ArrowRight: at - 1, ArrowLeft: at - 1, [forward]: at + 1, Home: 0, End: items.length - 1};
  if (!(event.key in moves)) return;
  event.preventDefault();
  const next = items[Math.max(0, Math.min(items.length - 1, moves[event.key]))];
  for (const item of items) item.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
