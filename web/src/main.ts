// Where the page begins.

import { App } from "./app";
import { el } from "./dom";
import { withoutView } from "./frame";
import { Live, type LivePage } from "./live";
import { readScene, type Scene } from "./scene";

function show(root: HTMLElement, scene: Scene, live: Live | null): App {
  const app = new App(scene, live);
  performance.mark("built");
  app.onFirstFrame(() => {
    document.documentElement.dataset.firstFrameMs = performance.now().toFixed(0);
  });
  app.start(root);
  live?.attach(app);
  return app;
}

async function begin(): Promise<void> {
  const root = document.getElementById("app")!;
  const text = document.getElementById("scene")!.textContent ?? "";
  let scene: Scene | null = null;
  try {
    scene = await readScene(text);
    performance.mark("read");
    const live = root.dataset.live ? new Live(JSON.parse(root.dataset.live) as LivePage, scene) : null;
    let app = show(root, scene, live);
    performance.mark("started");
    if (live) {
      live.onScene = (changed) => {
        app.end();
        app = show(root, changed, live);
      };
    }
    document.addEventListener("falsework:seek", (event) => app.seek((event as CustomEvent<number>).detail));
  } catch (why) {
    root.replaceChildren(...(scene ? withoutView(scene, why) : [el("p", { class: "failed" }, `This report is damaged: ${String(why)}`)]));
    document.documentElement.dataset.failed = String(why);
    throw why;
  }
}

void begin();
