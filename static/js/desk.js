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
  const offered = document.getElementById("kept-slip");
  const kept = "slip kept for signing in";

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
    put(names.map((name) => slip.get(name) || ""));
    goOn();
  }

  function put(slip) {
    fields.forEach((field, index) => {
      if (field.value === slip[index]) return;
      field.value = slip[index];
      changed(index);
    });
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

  function startAgain() {
    clear();
    answer.querySelectorAll(".answer-ask, .answer-no, [data-say]").forEach((said) => said.remove());
    enter(0);
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
      const whole = String(value / size);
      const decimals = Math.max(0, 3 - whole.length);
      const figures = String((value * 10n ** BigInt(decimals)) / size);
      const fraction = figures.slice(whole.length).replace(/0+$/, "");
      return fraction ? `${whole}.${fraction} ${word}` : `${whole} ${word}`;
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
    if (answer.querySelector(`[data-say="${id}"]`)) return;
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
    if (xhr.getResponseHeader("HX-Redirect")) return signIn();
    if ((xhr.getResponseHeader("HX-Trigger") || "").includes("slip-taken")) {
      clear();
      // Only after htmx is done with this request does it take the next.
      queueMicrotask(typeWhatCame);
      queueMicrotask(showAnswer);
      return;
    }
    markFaults();
    sayDropped();
    if (question()) ask(event.timeStamp);
    else goOn();
    showAnswer();
  });

  function showAnswer() {
    answer.scrollIntoView({ block: "nearest" });
  }

  function sayTrouble(id, event) {
    const { elt } = event.detail.requestConfig;
    if (isLookup(elt)) return sayNotLookedUp(fields.indexOf(elt));
    if (ofASlip(elt)) {
      // What was saved before must not stand there as if it were the answer to this slip.
      answer.querySelectorAll(".answer").forEach((old) => old.remove());
      say(id);
      goOn();
      showAnswer();
    } else if (elt.hasAttribute("data-undo")) {
      say(id);
    }
  }

  function sayNotLookedUp(index) {
    if (fields[index].value.trim() === "") return;
    means[index]().replaceChildren(document.getElementById("not-looked-up").content.cloneNode(true));
  }

  function whyNot(xhr) {
    if (xhr.status !== 403) return "not-possible";
    return xhr.responseText.includes("data-signed-out") ? "signed-out" : "too-old";
  }

  document.body.addEventListener("htmx:sendError", (event) => sayTrouble("no-connection", event));
  document.body.addEventListener("htmx:timeout", (event) => sayTrouble("no-connection", event));
  document.body.addEventListener("htmx:responseError", (event) => sayTrouble(whyNot(event.detail.xhr), event));

  // Signed out meanwhile ---------------------------------------------------------------------------------------

  // Only a slip that is sent leads away at once; a look-up or the lists must not take the page from under the hands.
  document.body.addEventListener("htmx:beforeOnLoad", (event) => {
    if (!event.detail.xhr.getResponseHeader("HX-Redirect")) return;
    event.preventDefault();
    if (!ofASlip(event.detail.requestConfig.elt)) say("signed-out");
  });

  function signIn() {
    keep();
    location.assign(form.dataset.login);
  }

  // Nothing else keeps a slip: one that came back unasked would be saved for the wrong player.
  function keep() {
    const slip = fields.map((field) => field.value);
    const whose = { page: location.pathname, user: form.dataset.user };
    if (slip.some((text) => text.trim())) sessionStorage.setItem(kept, JSON.stringify({ ...whose, slip }));
  }

  function offerKept() {
    const found = JSON.parse(sessionStorage.getItem(kept) || "null");
    sessionStorage.removeItem(kept);
    if (!found || found.page !== location.pathname || found.user !== form.dataset.user) return;
    offered.querySelector("strong").textContent = found.slip.filter((text) => text.trim()).join(", ");
    offered.hidden = false;
    offered.querySelector("[data-go-on]").addEventListener("click", () => {
      offered.hidden = true;
      put(found.slip);
      goOn();
    });
    offered.querySelector("[data-discard]").addEventListener("click", () => {
      offered.hidden = true;
      enter(0);
    });
  }

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

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (onItsWay) return typeAhead(event);
    const target = event.target;
    if (question() && (question().contains(target) || target === document.body)) return answerQuestion(event);
    const index = fields.indexOf(target);
    if (index >= 0 && event.key === "Enter") {
      event.preventDefault();
      if (!event.repeat) advance(index);
    } else if (event.key === "Escape" && target.closest(".slip-fields")) {
      startAgain();
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

  // The question about a doubtful score is answered by a key pressed for it: not by the Enter that sent the slip,
  // still held or pressed twice, and not by one in the middle of the next slip, typed without looking. ------------

  const SOON = 800, TYPING = 1000;
  let shownAt = -Infinity;
  let lastTyped = -Infinity;
  let unused = 0;
  let yes = 0;

  const question = () => document.getElementById("question");

  function ask(now) {
    shownAt = now;
    lastTyped = -Infinity;
    unused = 0;
    question().querySelector("[data-change]").focus();
  }

  function answerQuestion(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [change, sure] = question().querySelectorAll("[data-change], [data-sure]");
    const presses = event.key === "Enter" || event.key === " ";
    if (event.key === "Escape") change.click();
    else if (event.key.startsWith("Arrow")) (event.target === change ? sure : change).focus();
    else if (!presses && event.key.length > 1) return;
    else answerWith(event, presses, change, sure);
    event.preventDefault();
  }

  function answerWith(event, presses, change, sure) {
    const hasty = event.repeat || event.timeStamp - shownAt < SOON || event.timeStamp - lastTyped < TYPING;
    if (yes) {
      // A Y with another key after it was the beginning of a name.
      clearTimeout(yes);
      yes = 0;
      unused += 1;
    }
    if (!presses) lastTyped = event.timeStamp;
    if (presses && !hasty) return (question().contains(event.target) ? event.target : change).click();
    if (event.key.toLowerCase() === "y" && !hasty) yes = setTimeout(() => { yes = 0; sure.click(); }, SOON);
    else if (!event.repeat) unused += 1;
    sayUnused();
  }

  function sayUnused() {
    const line = question().querySelector("[data-unused]");
    line.hidden = unused === 0;
    line.querySelector("span").textContent = unused === 1 ? "1 key was" : `${unused} keys were`;
  }

  form.addEventListener("input", (event) => {
    const index = fields.indexOf(event.target);
    if (index < 0) return;
    // It was about what stood there before.
    question()?.remove();
    event.target.removeAttribute("aria-invalid");
    if (index === 2) readBack();
    else means[index]().replaceChildren();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-fill], [data-change], [data-keep]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.hasAttribute("data-keep")) return keep();
    event.preventDefault();
    if (link.hasAttribute("data-fill")) fill(link.href);
    else enter(2);
  });

  addEventListener("pageshow", (event) => {
    // A page out of the browser's memory may hold a key that was used and a table that is old.
    if (event.persisted) location.reload();
  });

  // A slip in the address was to be filled in once; loading the page again must not bring it back.
  if (location.search) history.replaceState(history.state, "", location.pathname);

  offerKept();
})();
