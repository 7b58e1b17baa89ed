// When the page is there, draws the charts and wires the buttons.
const CHARTS = {
  heat: heatChart,
  superiority: superiorityChart,
  convergence: (container, data) => new Convergence(container, data),
};

// Shows one group of trials; its charts are drawn when it is first shown.
function show(group, data) {
  document.querySelectorAll("[data-group]").forEach((part) => { part.hidden = part.dataset.group !== group; });
  for (const container of document.querySelectorAll(`main [data-group="${group}"] .chart:empty`)) {
    CHARTS[container.dataset.chart](container, data);
  }
}

function followSections() {
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) {
        links.forEach((link) => link.removeAttribute("aria-current"));
        links.get(target.id)?.setAttribute("aria-current", "true");
      }
    }
  }, { rootMargin: "-30% 0px -60% 0px" });
  document.querySelectorAll("section").forEach((section) => observer.observe(section));
}

document.addEventListener("DOMContentLoaded", () => {
  const groups = Object.fromEntries([...document.querySelectorAll("script.data")].map((script) => [script.dataset.group, JSON.parse(script.textContent)]));
  document.querySelectorAll(".sheet table").forEach(sortable);
  document.addEventListener("click", ({ target }) => {
    const { copy: copied, download } = target.dataset ?? {};
    if (!copied && !download) return;
    const { csv, suffix } = groups[target.closest("[data-group]").dataset.group];
    if (copied) copy(csv[copied], target);
    if (download) save(`${download}${suffix}.csv`, csv[download]);
  });
  const choice = document.getElementById("group");
  choice?.addEventListener("change", () => { show(choice.value, groups[choice.value]); scrollTo(0, 0); });
  const first = choice?.value ?? Object.keys(groups)[0];
  show(first, groups[first]);
  followSections();
});
