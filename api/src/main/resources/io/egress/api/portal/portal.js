// What htmx has no words for. Everything here is a comfort: pages work without it.
"use strict";

// The page that a link leads to goes on by itself; the button is for browsers without scripts.
document.querySelector("form[data-submit]")?.requestSubmit();

// A page that answered a form would send the form again when it is loaded again.
if (document.querySelector("[data-shown-once]")) {
  history.replaceState(null, "", location.href);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) {
    return;
  }
  const source = document.getElementById(button.dataset.copy);
  const said = document.getElementById(button.dataset.said);
  const select = () => getSelection().selectAllChildren(source);
  navigator.clipboard
    .writeText(source.textContent)
    .then(() => (said.textContent = "Copied."))
    .catch(() => {
      select();
      said.textContent = "Selected: press Ctrl+C or ⌘C.";
    });
});

// Nobody looks at a hidden page. It is brought up to date when it is shown again.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden) {
    event.preventDefault();
  }
});

function stale(isStale) {
  const said = document.getElementById("stale");
  if (said && said.hidden === isStale) {
    said.hidden = !isStale;
  }
}
document.addEventListener("htmx:sendError", () => stale(true));
document.addEventListener("htmx:responseError", () => stale(true));
document.addEventListener("htmx:afterOnLoad", () => stale(false));
