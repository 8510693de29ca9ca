// What htmx does not cover. Pages work without this script.
"use strict";

document.documentElement.classList.add("scripted");

// The page of a portal link submits itself; the button is for browsers without scripts.
document.querySelector("form[data-submit]")?.requestSubmit();

// Reloading the answer to a form must not send the form again.
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

// A hidden page does not poll.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden) {
    event.preventDefault();
  }
});

function stale(isStale) {
  const said = document.getElementById("stale");
  if (said && said.hidden === isStale) {
    said.hidden = !isStale;
    said.querySelector("time").textContent =
        new Date().toISOString().slice(11, 19) + " UTC";
  }
}
document.addEventListener("htmx:sendError", () => stale(true));
document.addEventListener("htmx:responseError", () => stale(true));
document.addEventListener("htmx:afterOnLoad", () => stale(false));

// The reader continues where something has to be corrected.
document.querySelector('[aria-invalid="true"]')?.focus();
