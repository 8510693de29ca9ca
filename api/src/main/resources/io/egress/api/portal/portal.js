// What htmx does not cover. Pages work without this script.
"use strict";

document.documentElement.classList.add("scripted");

// The page of a portal link submits itself. The token is in the fragment, which no server and no log of a proxy gets to see.
const link = document.querySelector("form[data-submit]");
if (link) {
  if (location.hash.length > 1) {
    link.elements[link.dataset.submit].value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
  }
  link.requestSubmit();
}

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

// Times in lists are shown as how long ago they are; the exact one is the title. What counts is the service's clock.
const AGES_EVERY_MS = 5000;
const DATE_AFTER_DAYS = 14;
const behindServiceMs = document.body.dataset.now ? Date.parse(document.body.dataset.now) - Date.now() : 0;

function inLargestUnit(seconds) {
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= length) {
      return Math.floor(seconds / length) + " " + unit;
    }
  }
  return Math.floor(seconds) + " s";
}

function ago(at, exact) {
  const seconds = (Date.now() + behindServiceMs - at) / 1000;
  if (Math.abs(seconds) < 1) {
    return "now";
  }
  if (Math.abs(seconds) > DATE_AFTER_DAYS * 86400) {
    return exact.slice(0, "2026-01-31".length);
  }
  return seconds > 0 ? inLargestUnit(seconds) + " ago" : "in " + inLargestUnit(-seconds);
}

function showAges() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const exact = time.dateTime.slice(0, "2026-01-31T09:30:00".length).replace("T", " ");
    const text = ago(Date.parse(time.dateTime), exact);
    time.title = exact + " UTC";
    if (time.textContent !== text) {
      time.textContent = text;
    }
  }
}

showAges();
setInterval(showAges, AGES_EVERY_MS);
document.addEventListener("htmx:afterSwap", showAges);

// A hidden page does not poll.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden) {
    event.preventDefault();
  }
});

// What is shown is as old as the newest answer. The banner polls, too, and says nothing of the rest.
let answeredAt = new Date();

function showStale(isStale) {
  const said = document.getElementById("stale");
  if (said && said.hidden === isStale) {
    const iso = answeredAt.toISOString();
    const time = said.querySelector("time");
    time.dateTime = iso;
    time.textContent = iso.slice(0, 19).replace("T", " ");
    said.hidden = !isStale;
  }
}

function isWholePage(part) {
  return part.id === "live" || !document.querySelector("#live[hx-get]");
}

for (const failure of ["sendError", "timeout", "responseError"]) {
  document.addEventListener("htmx:" + failure, () => showStale(true));
}
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && isWholePage(event.detail.target)) {
    answeredAt = new Date();
    showStale(false);
  }
});

// Marks what a text contains of the search, and goes from match to match.
const MATCHES_MAX = 1000;
const search = document.querySelector("form[data-search]");
if (search) {
  const shown = document.getElementById(search.dataset.search);
  const said = document.getElementById("matches");
  const text = shown.textContent;
  let marks = [];
  let current = -1;

  const goTo = (index) => {
    marks[current]?.classList.remove("current");
    current = index;
    marks[current].classList.add("current");
    marks[current].scrollIntoView({ block: "center", inline: "nearest" });
    const more = marks.length === MATCHES_MAX ? " or more" : "";
    said.textContent = `${current + 1} of ${marks.length}${more}`;
  };

  const mark = () => {
    const wanted = search.elements.search.value;
    const literally = wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const parts = [];
    marks = [];
    current = -1;
    let end = 0;
    for (const match of wanted ? text.matchAll(new RegExp(literally, "giu")) : []) {
      const found = document.createElement("mark");
      found.textContent = match[0];
      parts.push(text.slice(end, match.index), found);
      end = match.index + match[0].length;
      if (marks.push(found) === MATCHES_MAX) {
        break;
      }
    }
    shown.replaceChildren(...parts, text.slice(end));
    said.textContent = wanted ? "No match" : "";
    if (marks.length > 0) {
      goTo(0);
    }
  };

  search.elements.search.addEventListener("input", mark);
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    if (marks.length > 0) {
      goTo((current + 1) % marks.length);
    }
  });
}

// The reader continues where something has to be corrected.
document.querySelector('[aria-invalid="true"]')?.focus();
