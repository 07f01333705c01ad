// What the keyboard does while the view has the focus.

import type { Player } from "./player";
import type { View } from "./view";

const TURNS: Record<string, [number, number, number?]> = {
  ArrowLeft: [-0.12, 0],
  ArrowRight: [0.12, 0],
  ArrowUp: [0, 0.1],
  ArrowDown: [0, -0.1],
  "+": [0, 0, 1.15],
  "=": [0, 0, 1.15],
  "-": [0, 0, 1 / 1.15],
};

export function onKey(event: KeyboardEvent, view: View, player: Player | null, select: (part: number | null) => void): void {
  const { selected } = view;
  const { count } = view.bodies;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (TURNS[event.key]) view.stage.orbit(...TURNS[event.key]);
  else if (event.key === "0" || event.key === "Home") view.fit();
  else if (event.key === "]") select(selected === null ? 0 : (selected + 1) % count);
  else if (event.key === "[") select(selected === null ? count - 1 : (selected + count - 1) % count);
  else if (event.key === "Escape") select(null);
  else if (event.key === " " && player) player.toggle();
  else if (event.key === "." && player) player.step(1);
  else if (event.key === "," && player) player.step(-1);
  else return;
  event.preventDefault();
}
