// The slip page by keyboard: number Enter machine Enter score Enter, and the cursor is back at the start.
// Whom and what a slip means is decided by the server when it arrives; nothing here chooses anybody.
(() => {
  "use strict";

  const form = document.getElementById("slip");
  if (!form) return;

  const answer = document.getElementById("answer");
  const save = document.getElementById("slip-save");
  const names = ["number", "machine", "score"];
  const fields = names.map((name) => document.getElementById(`slip-${name}`));
  const means = names.map((name) => document.getElementById.bind(document, `${name}-means`));
  const score = fields[2];
  const kept = `slip ${location.pathname}`;

  // Moving on ------------------------------------------------------------------------------------------------

  function enter(index) {
    const field = fields[index];
    field.focus();
    field.select();
  }

  function goOn() {
    const fault = fields.findIndex((field, index) => means[index]().querySelector("[data-fault]"));
    const empty = fields.findIndex((field) => field.value.trim() === "");
    enter(fault >= 0 ? fault : empty >= 0 ? empty : 2);
  }

  function advance(index) {
    if (fields[index].value.trim() === "") return;
    if (index < 2) enter(index + 1);
    else form.requestSubmit(save);
  }

  function fill(address) {
    const slip = new URL(address, location.href).searchParams;
    fields.forEach((field, index) => {
      const text = slip.get(names[index]) || "";
      if (field.value === text) return;
      field.value = text;
      changed(index);
    });
    goOn();
  }

  function changed(index) {
    means[index]().replaceChildren();
    fields[index].removeAttribute("aria-invalid");
    if (index === 2) readBack();
    else if (fields[index].value.trim() !== "") fields[index].dispatchEvent(new Event("change", { bubbles: true }));
  }

  function clear() {
    fields.forEach((field, index) => {
      field.value = "";
      field.removeAttribute("aria-invalid");
      means[index]().replaceChildren();
    });
  }

  function markFaults() {
    fields.forEach((field, index) => {
      if (means[index]().querySelector("[data-fault]")) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    });
  }

  // The score read back while it is typed; whether it is one, the server says. ---------------------------------

  const sizes = [[10n ** 12n, "trillion"], [10n ** 9n, "billion"], [10n ** 6n, "million"], [10n ** 3n, "thousand"]];

  function inWords(value) {
    if (value === 0n) return "zero";
    for (const [size, word] of sizes) {
      if (value < size) continue;
      const whole = (value * 10n) / size / 10n;
      const tenth = ((value * 10n) / size) % 10n;
      return tenth && whole < 100n ? `${whole}.${tenth} ${word}` : `${whole} ${word}`;
    }
    return String(value);
  }

  function readBack() {
    const typed = score.value.trim();
    const digits = typed.replace(/[ ,.'\u00a0\u2007\u2009\u202f]/g, "");
    const plain = /^\d+$/.test(typed) || /^\d{1,3}([ ,.'\u00a0\u2007\u2009\u202f]\d{3})+$/.test(typed);
    if (!plain || digits.length > 15) return means[2]().replaceChildren();
    const value = BigInt(digits);
    const line = document.createElement("p");
    line.className = "read-back";
    line.textContent = `${value.toLocaleString("en-GB")} · ${inWords(value)}`;
    means[2]().replaceChildren(line);
  }

  // While a slip is on its way the fields rest, and what is typed meanwhile is for the next slip. ---------------

  let onItsWay = false;
  let ahead = "";
  let shownAt = -Infinity;
  let lastTyped = -Infinity;

  function hold() {
    onItsWay = true;
    ahead = "";
    fields.forEach((field) => { field.readOnly = true; });
  }

  function release() {
    onItsWay = false;
    fields.forEach((field) => { field.readOnly = false; });
  }

  function typeAhead(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === "Tab") ahead += event.repeat ? "" : "\n";
    else if (event.key === "Backspace") ahead = ahead.slice(0, -1);
    else if (event.key.length === 1) ahead += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function typeWhatCame() {
    const parts = ahead.replace(/^\n+/, "").split("\n");
    ahead = "";
    enter(0);
    parts.slice(0, 3).forEach((text, index) => {
      fields[index].value = text;
      if (text) changed(index);
    });
    const at = Math.min(parts.length - 1, 2);
    fields[at].focus();
    if (parts.length > 3) {
      form.requestSubmit(save);
      ahead = parts.slice(3).join("\n");
    }
  }

  function sayDropped() {
    const typed = ahead.replace(/\n/g, " ").trim();
    ahead = "";
    if (!typed) return;
    say("dropped");
    answer.querySelector("[data-say] p:last-of-type").textContent = typed;
  }

  function say(id) {
    const place = document.createElement("div");
    place.dataset.say = id;
    place.append(document.getElementById(id).content.cloneNode(true));
    answer.prepend(place);
  }

  const isLookup = (element) => fields.includes(element);
  const ofASlip = (element) => element === form || element.hasAttribute("data-slip");

  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (!ofASlip(event.detail.requestConfig.elt)) return;
    answer.querySelectorAll("[data-say]").forEach((said) => said.remove());
    hold();
  });

  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { requestConfig, xhr } = event.detail;
    if (requestConfig.elt.hasAttribute("data-undo")) return goOn();
    if (!ofASlip(requestConfig.elt)) return;
    release();
    if (xhr.getResponseHeader("HX-Redirect")) return;
    if ((xhr.getResponseHeader("HX-Trigger") || "").includes("slip-taken")) {
      clear();
      // Only after htmx is done with this request does it take the next.
      queueMicrotask(typeWhatCame);
      return;
    }
    markFaults();
    shownAt = event.timeStamp;
    sayDropped();
    const question = answer.querySelector("[data-sure]");
    if (question) question.focus();
    else goOn();
  });

  function sayTrouble(id, event) {
    const { elt } = event.detail.requestConfig;
    if (ofASlip(elt) || elt.hasAttribute("data-undo")) say(id);
  }

  document.body.addEventListener("htmx:sendError", (event) => sayTrouble("no-connection", event));
  document.body.addEventListener("htmx:timeout", (event) => sayTrouble("no-connection", event));
  document.body.addEventListener("htmx:responseError", (event) => {
    sayTrouble(event.detail.xhr.status === 403 ? "too-old" : "not-possible", event);
  });

  // Whom a field means ---------------------------------------------------------------------------------------

  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const field = event.detail.requestConfig.elt;
    if (!isLookup(field)) return;
    // An answer about what is no longer in the field says nothing.
    const asked = new URL(event.detail.xhr.responseURL).searchParams.get(field.name);
    if (asked !== field.value || onItsWay) event.detail.shouldSwap = false;
  });

  document.body.addEventListener("htmx:afterSwap", (event) => {
    const index = fields.indexOf(event.detail.requestConfig?.elt);
    if (index < 0) return;
    markFaults();
    const next = fields[index + 1];
    const untouched = document.activeElement === next && next.value === "";
    if (untouched && means[index]().querySelector("[data-fault]")) enter(index);
  });

  // Keys -----------------------------------------------------------------------------------------------------

  // The question about a doubtful score is answered by a key pressed for it: not by the Enter that sent the slip,
  // still held or pressed twice, and not by an Enter in the middle of typing the next slip without looking.
  const SOON = 300, TYPING = 1000;

  function isHasty(event) {
    return event.repeat || event.timeStamp - shownAt < SOON || event.timeStamp - lastTyped < TYPING;
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (onItsWay) return typeAhead(event);
    const target = event.target;
    if (target.hasAttribute?.("data-sure")) {
      if (event.key === "Escape") goOn();
      else if (event.key !== "Enter" && event.key !== " ") lastTyped = event.key.length === 1 ? event.timeStamp : lastTyped;
      else if (isHasty(event)) event.preventDefault();
      return;
    }
    const index = fields.indexOf(target);
    if (index >= 0 && event.key === "Enter") {
      event.preventDefault();
      if (!event.repeat) advance(index);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      amongOffers(event, target);
    }
  }, true);

  function amongOffers(event, target) {
    const place = target.closest(".slip-field");
    const offers = place ? [...place.querySelectorAll("[data-fill]")] : [];
    if (!offers.length) return;
    event.preventDefault();
    const to = offers.indexOf(target) + (event.key === "ArrowDown" ? 1 : -1);
    if (to < 0) place.querySelector("input").focus();
    else offers[Math.min(to, offers.length - 1)].focus();
  }

  form.addEventListener("input", (event) => {
    const index = fields.indexOf(event.target);
    if (index < 0) return;
    event.target.removeAttribute("aria-invalid");
    if (index === 2) readBack();
    else means[index]().replaceChildren();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-fill], [data-change]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (link.hasAttribute("data-fill")) fill(link.href);
    else enter(2);
  });

  // What is half typed survives leaving the page, such as for signing in again. ---------------------------------

  addEventListener("pagehide", () => {
    const slip = fields.map((field) => field.value);
    if (slip.some(Boolean)) sessionStorage.setItem(kept, JSON.stringify(slip));
  });

  addEventListener("pageshow", (event) => {
    // A page out of the browser's memory may hold a key that was used and a table that is old.
    if (event.persisted) location.reload();
  });

  function bringBack() {
    const slip = JSON.parse(sessionStorage.getItem(kept) || "null");
    sessionStorage.removeItem(kept);
    if (!slip || answer.querySelector("[data-taken]") || fields.some((field) => field.value)) return;
    fields.forEach((field, index) => {
      field.value = slip[index];
      if (slip[index]) changed(index);
    });
    say("kept");
    goOn();
  }

  // By then htmx listens to the fields.
  document.addEventListener("DOMContentLoaded", bringBack);
})();
