// Builds the page into the package: one script, one style, their licences, and a fingerprint of what they came from.
// The test suite recomputes the fingerprint, so that a forgotten build fails without needing Node.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = new URL("../src/falsework/studio/static/", import.meta.url);
const from = (path) => new URL(path, import.meta.url);
const three = readFileSync(from("node_modules/three/LICENSE"), "utf8");

const options = { bundle: true, minify: true, write: false, legalComments: "none", charset: "ascii" };
const script = await build({
  ...options,
  entryPoints: [from("src/main.ts").pathname],
  format: "iife",
  target: "es2022",
  define: { __THREE_DEVTOOLS__: "undefined" },
});
const style = await build({ ...options, entryPoints: [from("src/style.css").pathname] });
const code = `/* Falsework, MIT. Contains three.js, MIT, see LICENSE.three.txt */${script.outputFiles[0].text}`;
if (/<\/script|<!--/i.test(code)) throw new Error("the script would end its own element");

const sources = ["package-lock.json", "build.mjs", ...readdirSync(from("src/")).sort().map((name) => `src/${name}`)];
const hash = createHash("sha256");
for (const source of sources) hash.update(source).update("\0").update(readFileSync(from(source))).update("\0");

writeFileSync(new URL("report.js", out), code);
writeFileSync(new URL("report.css", out), style.outputFiles[0].text);
writeFileSync(new URL("LICENSE.three.txt", out), three);
writeFileSync(new URL("sources.sha256", out), `${hash.digest("hex")}\n`);
console.log(`report.js ${(code.length / 1024).toFixed(0)} KiB, report.css ${(style.outputFiles[0].text.length / 1024).toFixed(0)} KiB`);
