// Starts the view that the page was made for.

(async () => {
  const data = readData();
  colour.start(data);
  const root = el("div", {class: "view"});
  document.body.append(el("header", {}, el("h1", {}, data.title ?? ""), colour.button()));
  document.body.append(root);
  try {
    await views[data.view](root, data);
    document.documentElement.dataset.ready = "yes";
    performance.mark("ready");
  } catch (error) {
    root.replaceChildren(el("p", {role: "alert"}, `This view cannot be drawn: ${error.message}`));
    throw error;
  }
})();
