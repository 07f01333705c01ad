// Where the page begins.

import { App } from "./app";
import { el } from "./dom";
import { withoutView } from "./frame";
import { readScene, type Scene } from "./scene";

async function begin(): Promise<void> {
  const root = document.getElementById("app")!;
  const text = document.getElementById("scene")!.textContent ?? "";
  let scene: Scene | null = null;
  try {
    scene = await readScene(text);
    performance.mark("read");
    const app = new App(scene);
    performance.mark("built");
    app.onFirstFrame(() => {
      document.documentElement.dataset.firstFrameMs = performance.now().toFixed(0);
    });
    app.start(root);
    performance.mark("started");
  } catch (why) {
    root.replaceChildren(...(scene ? withoutView(scene, why) : [el("p", { class: "failed" }, `This report is damaged: ${String(why)}`)]));
    document.documentElement.dataset.failed = String(why);
    throw why;
  }
}

void begin();
