"use strict";
// Light or dark, remembered as long as the page is open; copying code.
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.dispatchEvent(new CustomEvent("symbody-theme", { detail: root.dataset.theme }));
  });
  for (const copy of document.querySelectorAll("button.copy")) {
    copy.addEventListener("click", async () => {
      const text = copy.nextElementSibling.textContent;
      const said = copy.textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = said), 1500);
    });
  }
})();
