"use strict";
(() => {
  const root = document.documentElement;

  // Light or dark: the reader's system decides until the button is pressed.
  const button = document.getElementById("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
  });
  prefersDark.addEventListener("change", label);
  button.hidden = false;
  label();

  // Only what can be scrolled is a stop on the way of the tab key.
  const boxes = [...document.querySelectorAll(".box")];
  const fit = () => {
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
  fit();

  // Games: a board shows all squares up to the move that is looked at.
  const sides = ["first", "second"];
  const shows = [];
  for (const figure of document.querySelectorAll("figure.game")) {
    const game = JSON.parse(figure.dataset.game);
    const board = figure.querySelector("svg.board");
    const knights = sides.map((side) => board.querySelector(`.b-knight.b-${side}`));
    const status = figure.querySelector(".status");
    const buttons = Object.fromEntries(
      [...figure.querySelectorAll("button")].map((each) => [each.dataset.step, each]),
    );
    const last = game.moves.length;
    let now = last;

    const mover = (ply) => (ply % 2 === 1 ? game.mover : 3 - game.mover);
    const show = (ply, quiet) => {
      now = Math.min(Math.max(ply, 0), last);
      for (const used of board.querySelectorAll(".b-used")) {
        used.toggleAttribute("hidden", Number(used.dataset.ply) > now);
        used.classList.toggle("b-last", now > 0 && Number(used.dataset.ply) === now);
      }
      const places = [game.places[0], game.places[1]];
      for (let at = 1; at <= now; at += 1) places[mover(at) - 1] = game.places[at + 1];
      knights.forEach((knight, at) => {
        if (!knight) return;
        knight.toggleAttribute("hidden", !places[at]);
        if (places[at]) knight.setAttribute("transform", `translate(${places[at][0]} ${places[at][1]})`);
      });
      for (const move of figure.querySelectorAll(".moves [data-ply]")) {
        const isNow = Number(move.dataset.ply) === now;
        move.classList.toggle("now", isNow);
        if (isNow) move.setAttribute("aria-current", "step");
        else move.removeAttribute("aria-current");
      }
      buttons.first.disabled = buttons.back.disabled = now === 0;
      buttons.last.disabled = buttons.on.disabled = now === last;
      if (quiet) return;
      if (now === 0) {
        status.textContent = `Opening; ${sides[game.mover - 1]} is to move.`;
        return;
      }
      const who = mover(now);
      const told = game.told[now - 1] ? `; ${game.told[now - 1]}` : "";
      const end = now === last ? `. The end: ${game.outcome}` : "";
      status.textContent =
        `Move ${now} of ${last}: ${sides[who - 1]} (${game.players[who - 1]}) to ${game.moves[now - 1]}${told}${end}.`;
    };

    const steps = { first: () => show(0), back: () => show(now - 1), on: () => show(now + 1), last: () => show(last) };
    for (const [name, each] of Object.entries(buttons)) each.addEventListener("click", steps[name]);
    const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
    figure.querySelector(".play").addEventListener("keydown", (event) => {
      const step = keys[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      steps[step]();
    });
    for (const move of figure.querySelectorAll(".moves [data-ply]")) {
      move.addEventListener("click", () => show(Number(move.dataset.ply)));
    }
    const play = figure.querySelector(".play");
    play.tabIndex = 0;
    play.setAttribute("role", "group");
    play.setAttribute("aria-label", "Board; the arrow keys go through the moves");
    figure.classList.add("live");
    figure.querySelector(".controls").hidden = false;
    show(last);
    shows.push({ get: () => now, show, last });
  }

  // On paper a game is shown at its end, and what is folded away is opened.
  let before = [];
  let folded = [];
  addEventListener("beforeprint", () => {
    before = shows.map((each) => each.get());
    shows.forEach((each) => each.show(each.last, true));
    folded = [...document.querySelectorAll("details.fold:not([open]), details.more:not([open])")];
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => {
    shows.forEach((each, at) => each.show(before[at] ?? each.last, true));
    folded.forEach((each) => { each.open = false; });
  });
})();
