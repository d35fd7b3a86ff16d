// Counts a warm-up, or the time to come after a call, down between two loads of the page. Without it the page says until
// when it lasts. What can be done when the time is up is shown then.
(() => {
  "use strict";

  // How far the server's clock is ahead of ours, for each clock from when it was first seen.
  const ahead = new WeakMap();

  function words(clock, left) {
    if (clock.dataset.clock !== "minutes") return `${left} s`;
    return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }

  function tick() {
    document.querySelectorAll("[data-until]").forEach((clock) => {
      if (!ahead.has(clock)) ahead.set(clock, Date.parse(clock.dataset.now) - Date.now());
      const left = Math.ceil((Date.parse(clock.dataset.until) - Date.now() - ahead.get(clock)) / 1000);
      clock.querySelector("[data-left]").textContent = left > 0 ? `${words(clock, left)} left` : "Time is up";
      clock.querySelectorAll("[data-when-up]").forEach((part) => (part.hidden = left > 0));
      clock.classList.toggle("clock-up", left <= 0);
    });
  }

  tick();
  setInterval(tick, 500);
})();
