// The page in headless Chromium: all views, from disk and from `memuse view`, against the numbers of the command line.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { writeFileSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { closeBrowser, folder, open, openBrowser, reportOf, run, serve, source } from "./browser.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shots = process.env.MEMUSE_SHOTS;
let traces;
let study;
let evil;

before(async () => {
  await openBrowser();
  traces = reportOf("traces", ["examples/traces"]);
  study = reportOf("study", ["--manifest", "examples/study/runs.csv"]);
  evil = reportOf("evil", [hostileTrace()]);
});
after(closeBrowser);

const evilText = "</script><img src=x onerror=alert(1)><svg/onload=alert(2)>\u001b[31m\u202eabc\u2028<!--{{x}}";

/** A trace whose every text tries to get out. */
function hostileTrace() {
  const lines = [
    { type: "episode", schema: "memuse-trace/1", episode: evilText, task_id: evilText, configuration: `c${evilText}`, run: `r${evilText}`, repo: evilText,
      task: { text: evilText }, outcome: { resolved: true, source: evilText } },
    { type: "message", id: "m1", role: "user", origin: "memory", text: `${evilText} RETRY_MS = 1250 ${"x".repeat(1_000_000)}` },
    { type: "delivery", id: "d1", route: "host", form: evilText, message: "m1", entries: [{ item: evilText, text: `${evilText} RETRY_MS = 1250` }] },
    { type: "step", step: 1, id: "s1", response: evilText, actions: [{ id: "a1", name: evilText, arguments: { command: `set RETRY_MS = 1250 ${evilText}` } }],
      results: [{ id: "s1.out", action: "a1", text: evilText }] },
  ];
  const path = join(folder, "evil.jsonl");
  mkdirSync(folder, { recursive: true });
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  // A line that is no UTF-8 costs itself only.
  writeFileSync(path, Buffer.concat([Buffer.from(`${text}\n`), Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a])]));
  return path;
}

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

async function checkAccess(page, where) {
  await page.evaluate(`${axeSource}`).catch(() => {});
  const found = await page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  });
  assert.deepEqual(found, [], where);
}

/** Clicks through every view; returns what was seen. */
async function walk(address, name) {
  const { page, faults, context } = await open(address);
  const go = async (hash, wait) => {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.waitForSelector(wait);
  };
  assert.match(await page.textContent("h1"), /Overview/);
  assert.equal(await page.locator(".chart svg").count() >= 5, true);
  await shot(page, `${name}-overview`);
  await page.click("text=Episodes >> nth=0");
  await page.waitForSelector(".list-row[data-index]");
  const first = page.locator('.list-row[data-index="0"] a');
  assert.equal(await first.textContent(), "refund-client");
  await shot(page, `${name}-episodes`);
  await first.click();
  await page.waitForSelector(".transcript .step");
  await page.click('.lane[data-span="2"]');
  await page.waitForSelector("#span-panel");
  assert.match(await page.textContent("#span-panel"), /harmful/);
  await page.click("#span-panel button:has-text('show the line') >> nth=1");
  await page.waitForSelector("mark.found");
  assert.match((await page.locator("mark.found").allTextContents()).join(""), /RETRY_BASE_MS = 400/);
  await shot(page, `${name}-episode`);
  await page.click("#span-panel .entry a >> nth=0");
  await page.waitForSelector("h1:has-text('CARD-1')");
  await page.waitForSelector(".entry");
  assert.match(await page.textContent("main"), /harmed/);
  await shot(page, `${name}-item`);
  await go("#/items", ".list-row[data-index]");
  assert.match(await page.textContent(".caption"), /18 of 18 items/);
  await go("#/judge", "h2");
  assert.match(await page.textContent("main"), /tracer\/1/);
  await shot(page, `${name}-judge`);
  assert.deepEqual(faults, []);
  await context.close();
}

test("all views work from disk, without a fault and without a request", () => walk(traces.address, "disk"));

test("all views work from memuse view", async () => {
  const server = await serve(traces.database);
  try {
    await walk(server.address, "served");
  } finally {
    server.stop();
  }
});

test("the tables show what memuse tables prints, and charts what the tables hold", async () => {
  const { page, faults, context } = await open(study.address);
  for (const name of ["success", "profile", "runs", "use", "difficulty", "forms", "origins", "units"]) {
    const table = JSON.parse(run("tables", name, "--db", study.database, "--json"));
    const shown = await page.evaluate((id) => [...document.querySelectorAll(`#table-${id} tbody tr:not(.group)`)].map((row) =>
      [...row.children].map((cell) => cell.firstChild?.textContent ?? "")), name);
    assert.equal(shown.length, table.rows.length, name);
    table.rows.forEach((row, i) => row.cells.forEach((cell, j) => {
      const text = shown[i][j];
      if (cell.kind === "missing") assert.ok(text === "—" || text === "", `${name} ${row.key}: ${text}`);
      else if (cell.kind === "text") assert.equal(text, cell.value === "" ? "" : cell.value);
      else if (text !== "") {
        const number = Number(text.split("±")[0].replace(/[,<\s]|\[.*$/g, "").replace("*", ""));
        const value = cell.kind === "percent" ? cell.value * 100 : cell.value;
        const decimals = (text.split("±")[0].split("[")[0].trim().split(".")[1] ?? "").length;
        assert.ok(text.startsWith("<") || Math.abs(number - value) <= 0.5000001 * 10 ** -decimals, `${name} ${row.key} ${j}: ${text} for ${value}`);
      }
    }));
  }
  const profile = JSON.parse(run("tables", "profile", "--db", study.database, "--json"));
  const benefit = profile.rows.find((row) => row.key === "benefit");
  const heat = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll('[data-axis="benefit"]')].map((cell) => [cell.getAttribute("data-configuration"), cell.textContent])));
  profile.columns.slice(1).forEach((column, i) => {
    const value = benefit.cells[i + 1].value;
    assert.equal(heat[column.key], value === null ? "—" : (value * 100).toFixed(2));
  });
  assert.deepEqual(faults, []);
  await context.close();
});

test("every number has its definition and n on hover and on focus", async () => {
  const { page, context } = await open(study.address);
  await page.hover('#table-success td[data-column="resolved"] >> nth=0');
  assert.match(await page.textContent("#tip"), /outcome is resolved[^]*n = 24 episodes/);
  await page.mouse.move(0, 0);
  await page.focus('[data-axis="benefit"] >> nth=0');
  assert.match(await page.textContent("#tip"), /improved the outcome[^]*n = \d+ profiled spans/);
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#tip"), false);
  await context.close();
});

test("the list is searched, filtered and sorted, and its address brings it back", async () => {
  const { page, faults, context } = await open(`${traces.address}#/episodes`);
  await page.fill("#search", "refund r1");
  await page.waitForFunction(() => /^2 of 24/.test(document.querySelector('[role="status"]').textContent));
  await page.selectOption("label:has-text('Outcome') select", "resolved");
  await page.click('[role="columnheader"] button:has-text("Steps")');
  const address = page.url();
  assert.match(address, /q=refund/);
  assert.match(address, /sort=steps/);
  const again = await open(address);
  assert.equal(await again.page.inputValue("#search"), "refund r1");
  assert.match(await again.page.textContent('[role="status"]'), /^2 of 24/);
  const steps = await again.page.locator('.list-row[data-index] [role="cell"]:nth-child(8)').allTextContents();
  assert.deepEqual(steps.map(Number), steps.map(Number).sort((a, b) => a - b));
  await page.fill("#search", "no such thing");
  await page.waitForSelector("text=No episode fits");
  await page.click("text=Clear");
  await page.waitForFunction(() => /^24 of 24/.test(document.querySelector('[role="status"]').textContent));
  assert.deepEqual(faults, []);
  await again.context.close();
  await context.close();
});

test("everything can be reached with the keyboard", async () => {
  const { page, context } = await open(traces.address);
  await page.keyboard.press("e");
  await page.waitForSelector(".list-row[data-index]");
  await page.focus('.list-row[data-index="0"] a');
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.closest("[data-index]")?.getAttribute("data-index") === "1");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.closest("[data-index]")?.getAttribute("data-index") === "23");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.closest("[data-index]")?.getAttribute("data-index") === "0");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".transcript .step");
  const address = page.url();
  await page.keyboard.press("n");
  await page.waitForSelector("#span-panel");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#span-panel", { state: "detached" });
  await page.keyboard.press("]");
  await page.waitForFunction((before) => location.href !== before, address);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement?.id === "search");
  await page.keyboard.type("oe?");
  assert.equal(await page.inputValue("#search"), "oe?");
  await context.close();
});

test("a key that is pressed in the moment of a change is not lost", { timeout: 60000 }, async () => {
  const { page, context } = await open(traces.address);
  await page.evaluate(async () => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const shown = (selector) => new Promise((resolve) => {
      const look = () => document.querySelector(selector) && (watch.disconnect(), resolve());
      const watch = new MutationObserver(look);
      watch.observe(document, { childList: true, subtree: true, attributes: true });
      look();
    });
    press("?");
    await shown("dialog[open]");
    await new Promise((resolve) => setTimeout(resolve, 200));
    document.querySelector("dialog").close();
    press("/");
    await shown("#search");
  });
  await page.waitForFunction(() => document.activeElement?.id === "search");
  await page.evaluate(async () => {
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const link = document.querySelector('.list-row[data-index="0"] a');
    await new Promise((resolve) => {
      const look = () => document.querySelector(".transcript .step") && (watch.disconnect(), resolve());
      const watch = new MutationObserver(look);
      watch.observe(document, { childList: true, subtree: true });
      link.click();
    });
    press("n");
  });
  await page.waitForSelector("#span-panel");
  await context.close();
});

test("a hostile trace shows as text, and nothing of it runs", async () => {
  const { page, faults, context } = await open(evil.address);
  const seen = async () => {
    assert.equal(await page.locator("main img").count(), 0);
    assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), await page.evaluate(() => document.querySelectorAll("script[id^=memuse-], script:not([id])").length));
    return page.textContent("main");
  };
  const visible = "</script><img src=x onerror=alert(1)><svg/onload=alert(2)>\\x1b[31m\\u202eabc\\u2028<!--{{x}}";
  const overview = await seen();
  assert.ok(overview.includes(visible), overview.slice(0, 3000));
  await page.evaluate(() => { location.hash = "#/episodes"; });
  await page.waitForSelector(".list-row[data-index]");
  assert.ok((await seen()).includes(visible));
  await page.click('.list-row[data-index="0"] a');
  await page.waitForSelector(".transcript .step");
  assert.ok((await seen()).includes(visible));
  assert.ok((await page.textContent(".transcript")).length < 200_000, "a text of a megabyte is folded");
  await page.click(".lane");
  await page.waitForSelector("#span-panel");
  assert.ok((await seen()).includes(visible));
  await shot(page, "evil-episode");
  await page.click("#span-panel .entry a >> nth=0");
  await page.waitForSelector(".crumbs:has-text('Memory items')");
  assert.ok((await seen()).includes(visible));
  assert.ok(!(await page.innerHTML("#app")).includes("\u202e"), "no override reaches the page");
  assert.deepEqual(faults, []);
  await context.close();
});

test("every view meets WCAG AA, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const { page, context } = await open(traces.address, { colorScheme });
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    await checkAccess(page, `overview ${colorScheme}`);
    await shot(page, `${colorScheme}-overview`);
    await page.keyboard.press("e");
    await page.waitForSelector(".list-row[data-index]");
    await checkAccess(page, `episodes ${colorScheme}`);
    await page.click('.list-row[data-index="0"] a');
    await page.waitForSelector(".transcript .step");
    await page.keyboard.press("n");
    await page.waitForSelector("#span-panel");
    await checkAccess(page, `episode ${colorScheme}`);
    await shot(page, `${colorScheme}-episode`);
    await page.click("#span-panel .entry a >> nth=0");
    await page.waitForSelector(".entry");
    await checkAccess(page, `item ${colorScheme}`);
    await page.keyboard.press("m");
    await page.waitForSelector(".list-row[data-index]");
    await checkAccess(page, `items ${colorScheme}`);
    await page.keyboard.press("j");
    await page.waitForSelector("h2");
    await checkAccess(page, `judge ${colorScheme}`);
    await context.close();
  }
});

test("a phone, 200 % zoom and paper: nothing is cut off", async () => {
  for (const [name, viewport] of [["phone", { width: 360, height: 740 }], ["zoom", { width: 640, height: 450 }]]) {
    const { page, context } = await open(traces.address, { viewport });
    for (const [view, wait] of [["overview", ".chart"], ["episodes", ".list-row[data-index]"], ["items", ".list-row[data-index]"], ["judge", "h2"]]) {
      await page.evaluate((to) => { location.hash = `#/${to}`; }, view);
      await page.waitForSelector(wait);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} ${view}: ${wide} pixels too wide`);
      await shot(page, `${name}-${view}`);
    }
    await page.evaluate(() => { location.hash = "#/episodes"; });
    await page.waitForSelector(".list-row[data-index]");
    await page.click('.list-row[data-index="0"] a');
    await page.waitForSelector(".transcript .step");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${name} episode: ${wide} pixels too wide`);
    await shot(page, `${name}-episode`);
    await context.close();
  }
  const { page, context } = await open(traces.address);
  await page.emulateMedia({ media: "print" });
  await shot(page, "print-overview");
  assert.equal(await page.isVisible(".top"), false);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 10_000);
  await context.close();
});

test("a figure is saved as an SVG that stands alone", async () => {
  const { page, context } = await open(study.address);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".chart button >> nth=0")]);
  assert.equal(download.suggestedFilename(), "radar.svg");
  const svg = readFileSync(await download.path(), "utf8");
  assert.match(svg, /^<\?xml[^]*<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.ok(!svg.includes("var(--"), "colours are written out");
  assert.ok(!svg.includes("class="));
  assert.match(svg, /Corroboration/);
  await context.close();
});

test("links of the command line's names: an episode that is not there is told", async () => {
  const { page, faults, context } = await open(`${traces.address}#/episode/00000000000000000000000000000000`);
  assert.match(await page.textContent("main"), /no episode with the address/);
  await page.evaluate(() => { location.hash = "#/item/cards/r1/default/nothing"; });
  await page.waitForSelector("text=not in this file");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a file that was cut says so", async () => {
  const whole = readFileSync(traces.file, "utf8");
  const path = join(folder, "cut.html");
  writeFileSync(path, whole.replace(/<script type="text\/plain" id="memuse-block-\d+">[^<]*<\/script>/g, ""));
  const { page, context } = await open(`file://${path}#/episodes`);
  await page.click('.list-row[data-index="0"] a');
  await page.waitForSelector("text=the file was cut");
  await context.close();
  assert.ok(source.length > 0);
});
