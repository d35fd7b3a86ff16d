// Counts a warm-up down between two loads of the page. Without it the page says until when it lasts.
(() => {
  "use strict";

  // How far the server's clock is ahead of ours, for each clock from when it was first seen.
  const ahead = new WeakMap();

  function tick() {
    document.querySelectorAll("[data-until]").forEach((clock) => {
      if (!ahead.has(clock)) ahead.set(clock, Date.parse(clock.dataset.now) - Date.now());
      const left = Math.ceil((Date.parse(clock.dataset.until) - Date.now() - ahead.get(clock)) / 1000);
      clock.querySelector("[data-left]").textContent = left > 0 ? `${left} s left` : "Time is up";
      clock.classList.toggle("clock-up", left <= 0);
    });
  }

  tick();
  setInterval(tick, 500);
})();
