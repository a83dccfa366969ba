// Deep links: everything that is looked at has an address behind `#`.

export interface Route {
  view: "overview" | "episodes" | "episode" | "items" | "item" | "judge";
  /** Parts of the path behind the view, decoded. */
  parts: string[];
  query: URLSearchParams;
}

const views = new Set(["overview", "episodes", "episode", "items", "item", "judge"]);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((part) => part !== "").map(decoded);
  const view = parts.shift() ?? "overview";
  return {
    view: (views.has(view) ? view : "overview") as Route["view"],
    parts,
    query: new URLSearchParams(query),
  };
}

export function link(view: Route["view"], parts: (string | number)[] = [], query: Record<string, string> = {}): string {
  const path = [view, ...parts.map((part) => encodeURIComponent(String(part)))].join("/");
  const kept = Object.entries(query).filter(([, value]) => value !== "");
  return `#/${path}${kept.length > 0 ? `?${new URLSearchParams(kept).toString()}` : ""}`;
}

export const episodeLink = (uid: string, span?: number) =>
  link("episode", [uid], span === undefined ? {} : { span: String(span) });

export const itemLink = (configuration: string, run: string, store: string, item: string) =>
  link("item", [configuration, run, store, item]);
