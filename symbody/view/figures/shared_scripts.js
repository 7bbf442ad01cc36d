// In the page of a scene or a figure whose script is elsewhere in the notebook: asks the frames around it until one
// answers. The content policy runs an answer only if it is the script that was asked for, by its hash.
"use strict";
(() => {
  const wanted = document.currentScript.dataset.wanted;
  const isThere = () => window.symbody || window.symbodyPlots;

  function ask(frames, depth) {
    for (let k = 0; k < frames.length; k++) {
      frames[k].postMessage({ symbodyWants: wanted }, "*");
      if (depth > 0) ask(frames[k], depth - 1);
    }
  }

  addEventListener("message", (event) => {
    const given = event.data && event.data.symbodyScript;
    if (!given || given.name !== wanted || isThere()) return;
    const script = document.createElement("script");
    script.textContent = given.text;
    document.body.append(script);
    for (const note of document.querySelectorAll(".symbody-missing")) note.hidden = !!isThere();
  });

  (function again(wait) {
    if (isThere()) return;
    ask(top, 3);
    for (const note of document.querySelectorAll(".symbody-missing")) note.hidden = wait < 1000;
    setTimeout(again, wait, Math.min(2 * wait, 5000));
  })(100);
})();
