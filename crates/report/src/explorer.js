"use strict";
const views = JSON.parse(document.getElementById("data").textContent);
for (const section of document.querySelectorAll("[data-view]")) {
  const view = views[section.dataset.view];
  const chain = section.querySelector(".chain");
  const line = (n) => section.querySelector(`[data-line="${n}"]`);
  const node = (n) => section.querySelector(`[data-node="${n}"]`);
  view.nodes.forEach((item, n) => {
    if (item !== null) { node(n).dataset.item = item; node(n).setAttribute("tabindex", "0"); }
  });
  const clear = () => {
    for (const lit of section.querySelectorAll(".lit, .from, .to")) {
      lit.classList.remove("lit", "from", "to");
    }
  };
  const light = (element, name) => { if (element) element.classList.add(name); return element; };
  const show = (number) => {
    const item = view.items[number];
    clear();
    chain.replaceChildren();
    const title = document.createElement("h3");
    title.textContent = item.title;
    const steps = document.createElement("ol");
    item.steps.forEach((step, i) => {
      const entry = document.createElement("li");
      entry.textContent = step.text + " ";
      if (step.line !== null) {
        const link = document.createElement("a");
        link.textContent = `line ${step.line}`;
        link.onclick = () => line(step.line)?.scrollIntoView({ block: "center", behavior: "smooth" });
        entry.append(link);
        const lit = light(line(step.line), "lit");
        if (lit) lit.querySelector(".no").dataset.step = i + 1;
      }
      if (step.node !== null) light(node(step.node), "lit");
      steps.append(entry);
    });
    chain.append(title, steps);
    light(line(item.line), "lit");
    if (item.from !== null) light(node(item.from), "from")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    for (const n of item.to) light(node(n), "to");
  };
  const chosen = (event) => {
    const target = event.target.closest("[data-item]");
    if (target) show(Number(target.dataset.item));
  };
  section.addEventListener("click", chosen);
  section.addEventListener("keydown", (event) => { if (event.key === "Enter") chosen(event); });
  const first = section.querySelector("button[data-item]");
  if (first) show(Number(first.dataset.item));
}
