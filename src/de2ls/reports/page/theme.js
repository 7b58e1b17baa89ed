// Sets the theme at once; when the page is there, its button switches it.
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  if (button) {
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-pressed", theme === "dark");
    button.setAttribute("aria-label", `Switch to the ${theme === "dark" ? "light" : "dark"} theme`);
  }
}

function remembered() {
  try { return localStorage.getItem("de2ls-theme"); } catch { return null; }
}

function remember(theme) {
  try { localStorage.setItem("de2ls-theme", theme); } catch { /* a page may be barred from storing */ }
}

setTheme(remembered() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));

document.addEventListener("DOMContentLoaded", () => {
  setTheme(document.documentElement.dataset.theme);
  document.getElementById("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    remember(theme);
    setTheme(theme);
  });
});
