// Keeps the live part of a page up to date by asking for it with the version that is shown.
// The page is complete without this script; a page that lost the server says so and recovers by itself.
(() => {
  "use strict";

  const USUAL = 5000;
  const HIDDEN = 60000;
  const PATIENCE = 15000;
  const SLOWEST = 60000;

  const place = document.querySelector("[data-live]");
  if (!place) return;
  const note = document.querySelector("[data-live-note]");
  const clock = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: place.dataset.zone,
  });

  let timer = null;
  let asking = false;
  let failures = 0;
  let lastAnswer = Date.now();

  const shown = () => place.firstElementChild;

  function tell(text) {
    if (note.textContent === text) return;
    note.textContent = text;
    note.classList.toggle("trouble", failures > 0);
  }

  function pause() {
    // Spread out, so that a hall full of telephones does not come back in the same instant.
    const spread = 0.9 + Math.random() * 0.2;
    const usual = document.hidden ? HIDDEN : USUAL;
    const backing = failures > 1 ? Math.min(SLOWEST, USUAL * 2 ** (failures - 1)) : 0;
    return Math.max(usual, backing) * spread;
  }

  function askLater() {
    clearTimeout(timer);
    timer = setTimeout(ask, pause());
  }

  function swap(html) {
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const [left, top] = [window.scrollX, window.scrollY];
    const phase = shown().dataset.phase;
    const unfolded = Array.from(place.querySelectorAll("details[open] > summary"), (each) => each.textContent);
    const page = new DOMParser().parseFromString(html, "text/html");
    // Some addresses answer with the part alone, others with the whole page that holds it.
    const part = page.querySelector("[data-live]") || page.body;
    place.replaceChildren(...part.children);
    place.querySelectorAll("details > summary").forEach((each) => {
      each.parentElement.open = each.parentElement.open || unfolded.includes(each.textContent);
    });
    window.scrollTo(left, top);
    if (focused) {
      const same = Array.from(place.querySelectorAll("a")).find((link) => link.getAttribute("href") === focused);
      if (same) same.focus({ preventScroll: true });
    }
    const now = shown();
    // Every new score would be too much to hear; a stage that opens, closes or ends is not.
    const told = now.querySelector(".phase");
    tell(now.dataset.phase === phase || !told ? "" : told.textContent);
  }

  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(timer);
    const giveUp = new AbortController();
    const limit = setTimeout(() => giveUp.abort(), PATIENCE);
    try {
      const version = encodeURIComponent(shown().dataset.version);
      const answer = await fetch(`${place.dataset.live}?rev=${version}`, {
        credentials: "omit",
        signal: giveUp.signal,
      });
      if (answer.status !== 204 && !answer.ok) throw new Error(`answered ${answer.status}`);
      const html = answer.status === 204 ? "" : await answer.text();
      const wasLost = failures > 0;
      failures = 0;
      lastAnswer = Date.now();
      if (wasLost) tell("");
      if (html) swap(html);
    } catch {
      failures += 1;
      tell(`Not connected since ${clock.format(lastAnswer)}. The page below is from before; it goes on by itself.`);
    } finally {
      clearTimeout(limit);
      asking = false;
      askLater();
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) askLater();
    else ask();
  });
  window.addEventListener("online", ask);
  // A page that the browser kept while another was read may be an hour old.
  window.addEventListener("pageshow", (event) => event.persisted && ask());

  askLater();
})();
