// A build that runs: asked twice a second how it goes; pause, step and stop are sent as soon as they are pressed.
"use strict";

const EVERY_MS = 400;
const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);
const shots = new Map(); // of each camera: its figure, and which picture it shows
let told = 0; // lines of the log that are shown

async function act(what) {
  await fetch("act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: what }) });
  await ask();
}

function say(news) {
  at("doing").textContent = news.doing;
  at("doing").dataset.doing = news.doing;
  at("now").textContent = `${news.time_s.toFixed(1)} s  ${news.state} ${news.brick}`;
  at("progress").max = news.bricks;
  at("progress").value = news.placed;
  at("placed").textContent = `${news.placed} of ${news.bricks} bricks in place`;
  const over = news.doing === "stopped" || news.doing === "ended";
  at("pause").disabled = over || news.doing !== "running";
  at("go").disabled = over || news.doing !== "paused";
  at("step").disabled = over;
  at("stop").disabled = over;
}

function see(pictures) {
  for (const { camera, number, src, caption } of pictures) {
    if (!shots.has(camera)) {
      const figure = document.createElement("figure");
      figure.append(document.createElement("img"), document.createElement("figcaption"));
      figure.firstChild.alt = `What the camera ${camera} saw`;
      at("cameras").append(figure);
      shots.set(camera, { figure, number: -1 });
    }
    const shot = shots.get(camera);
    shot.number = number;
    if (src) shot.figure.firstChild.src = src;
    shot.figure.lastChild.textContent = `${camera}: ${caption}`;
  }
}

function list(lines, first) {
  if (first < told) return;
  for (const line of lines) {
    const row = document.createElement("li");
    row.className = line.event;
    row.textContent = `${line.t.toFixed(2)} s  ${line.words}`;
    at("log").prepend(row);
  }
  told = first + lines.length;
}

function plot(forces) {
  const most = Math.max(1, ...forces.push, ...forces.grip);
  for (const kind of ["push", "grip"]) {
    const points = forces[kind].map((value, k) => `${((100 * k) / Math.max(1, forces.times.length - 1)).toFixed(2)} ${(100 - (98 * value) / most).toFixed(2)}`);
    const path = at(kind) ?? at("forces").appendChild(document.createElementNS(SVG, "path"));
    path.id = kind;
    path.setAttribute("class", kind);
    path.setAttribute("d", points.length ? `M${points.join("L")}` : "");
  }
  at("most").textContent = `${most.toFixed(1)} N at the top, the last ${forces.times.length ? (forces.times.at(-1) - forces.times[0]).toFixed(0) : 0} s`;
}

async function ask() {
  const seen = [...shots].map(([camera, shot]) => [camera, shot.number]);
  const answer = await fetch("status", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ told, seen }) });
  const news = await answer.json();
  say(news);
  see(news.pictures);
  list(news.lines, news.first);
  plot(news.forces);
  return news.doing;
}

async function follow() {
  try {
    if ((await ask()) === "ended") return;
  } catch {
    at("doing").textContent = "no answer: the command has ended";
    at("doing").dataset.doing = "lost";
    return;
  }
  setTimeout(follow, EVERY_MS);
}

for (const what of ["pause", "go", "step", "stop"]) at(what).addEventListener("click", () => void act(what));
void follow();
