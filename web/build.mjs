// Builds dist/report.html: one page with its script and its style inside, and two marks where memuse puts the content
// security policy and the data. `node build.mjs --check` says whether dist is what the sources build.
import { build } from "esbuild";
import { readFile, writeFile, mkdir } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const file = (name) => new URL(name, here);

async function bundle(entry) {
  const result = await build({
    entryPoints: [file(entry).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "ascii",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0].text.trim();
}

const script = await bundle("src/main.tsx");
const style = await bundle("src/style.css");
// Nothing in them may end their element; the program embeds the page as a C++ raw string.
for (const [name, text] of Object.entries({ script, style })) {
  if (/<\/(script|style)/i.test(text) || text.includes("<!--") || text.includes(")memuse_file")) {
    throw new Error(`the ${name} holds a text that would end its element`);
  }
}
const template = await readFile(file("src/page.html"), "utf8");
const page = template.replace("/*style*/", () => style).replace("/*script*/", () => script);
const target = file("dist/report.html");
if (process.argv.includes("--check")) {
  const there = await readFile(target, "utf8").catch(() => "");
  if (there !== page) {
    console.error("web/dist/report.html is not what web/src builds: run npm run build in web/ and commit it");
    process.exit(1);
  }
  console.log("dist/report.html is what the sources build");
} else {
  await mkdir(file("dist/"), { recursive: true });
  await writeFile(target, page);
  console.log(`dist/report.html: ${page.length} bytes`);
}
