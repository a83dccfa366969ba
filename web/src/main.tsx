import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { columns } from "./columns";
import { type Data, loadData } from "./data";
import { EpisodeView, isTyping } from "./episode";
import { Episodes } from "./episodes";
import { Items, ItemView } from "./items";
import { Judge } from "./judge";
import { Overview } from "./overview";
import { link, parseRoute, type Route } from "./route";
import { wantSearch } from "./search_focus";
import { visible } from "./text";
import { startTips } from "./tip";

const views: [Route["view"], string, string][] = [
  ["overview", "Overview", "o"], ["episodes", "Episodes", "e"], ["items", "Memory", "m"], ["judge", "Judge", "j"],
];
const keys: [string, string][] = [
  ["o e m j", "overview, episodes, memory, judge"], ["/", "search the list"], ["↑ ↓ PgUp PgDn Home End", "move in a list"],
  ["Enter", "open"], ["[ ]", "previous and next episode of the list"], ["n p", "next and previous span of an episode"],
  ["Esc", "close a span, a tip, this help"], ["d", "dark or light"], ["?", "this help"],
];

type Theme = "light" | "dark";

function remember(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // Some browsers give pages from disk no storage; nothing depends on it.
  }
}

function switchTheme(): void {
  const now = document.documentElement.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next: Theme = now === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = next;
  remember("memuse-theme", next);
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <dialog ref={(element) => { if (element && !element.open) element.showModal(); }} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="facts">{keys.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
      <form method="dialog"><button>Close</button></form>
    </dialog>
  );
}

function App({ data }: { data: Data }) {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  const [help, setHelp] = useState(false);
  const episodes = useMemo(() => columns(data.episodes), [data]);
  const items = useMemo(() => columns(data.items), [data]);
  const place = `${route.view}/${route.parts.join("/")}`;

  // Listeners are changed before anything is painted: a key pressed right after a change must not meet the view before it.
  useLayoutEffect(() => {
    const onHash = () => setRoute(parseRoute(location.hash));
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, []);
  useEffect(() => {
    if (route.view === "episodes") remember("memuse-filter", route.query.toString());
  }, [route]);
  useEffect(() => {
    const name = route.view === "episode" || route.view === "item" ? `${route.parts.at(-1)?.slice(0, 40)} · ` : "";
    document.title = `${name}${route.view} · memuse`;
    window.scrollTo(0, 0);
  }, [place]);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // The dialog itself is asked: that it was closed is told a moment later.
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      const view = views.find(([, , key]) => key === event.key);
      if (view) location.hash = link(view[0]);
      else if (event.key === "?") setHelp(true);
      else if (event.key === "d") switchTheme();
      else if (event.key === "/") {
        const search = document.getElementById("search");
        if (search) search.focus();
        else {
          wantSearch();
          location.hash = link("episodes");
        }
        event.preventDefault();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });

  const current = route.view === "episode" ? "episodes" : route.view === "item" ? "items" : route.view;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>To the content</a>
      <header class="top">
        <span class="brand">memuse</span>
        <nav aria-label="Views">
          {views.map(([view, title]) => (
            <a key={view} href={link(view)} aria-current={current === view ? "page" : undefined}>{title}</a>
          ))}
        </nav>
        <span class="tools">
          <button type="button" class="quiet" onClick={switchTheme} aria-label="Dark or light">◐</button>
          <button type="button" class="quiet" onClick={() => setHelp(true)} aria-label="Keys">?</button>
        </span>
      </header>
      <main id="main" tabindex={-1}>
        {route.view === "overview" && <Overview study={data.study} episodes={episodes} />}
        {route.view === "episodes" && <Episodes all={episodes} route={route} />}
        {route.view === "episode" && <EpisodeView data={data} all={episodes} route={route} />}
        {route.view === "items" && <Items all={items} route={route} />}
        {route.view === "item" && <ItemView data={data} all={items} route={route} />}
        {route.view === "judge" && <Judge study={data.study} />}
      </main>
      <footer class="foot">
        memuse {data.study.program}, rule set {data.study.rules}. {data.served ? "Served from this machine." : "One file; nothing was loaded from elsewhere."}
      </footer>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  try {
    const theme = sessionStorage.getItem("memuse-theme");
    if (theme) document.documentElement.dataset["theme"] = theme;
  } catch {
    // As in `remember`.
  }
  startTips();
  try {
    const data = await loadData();
    root.textContent = "";
    render(<App data={data} />, root);
    document.documentElement.dataset["ready"] = "yes";
  } catch (error) {
    root.textContent = `This report cannot be shown: ${visible(error instanceof Error ? error.message : String(error))}`;
    root.className = "warning";
  }
}

void start();
