// Where the page gets its objects from: its own elements, or the server that it came from.
import type { EpisodePage, ItemPage, RawColumns, Study } from "./types";

export interface ItemKey {
  configuration: string;
  run: string;
  store: string;
  item: string;
}

export interface Data {
  served: boolean;
  /** Bytes kept of each text; null: all of them. */
  textLimit: number | null;
  study: Study;
  episodes: RawColumns;
  items: RawColumns;
  /** `block` is where the index says that it is; null when the page does not hold it. */
  episode(uid: string, block: number | null): Promise<EpisodePage | null>;
  item(key: ItemKey, block: number | null): Promise<ItemPage | null>;
}

function element(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

function embedded<T>(name: string): T {
  const text = element(`memuse-${name}`);
  if (text === null) throw new Error(`this page holds no data (${name}): it was not written to its end`);
  return JSON.parse(text) as T;
}

/** The JSON in a packed block: Base64 of a zlib stream. */
async function unpacked(base64: string): Promise<unknown[]> {
  const raw = atob(base64.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).json()) as unknown[];
}

/** Blocks that were opened last. */
class Blocks {
  private readonly opened = new Map<number, Promise<unknown[]>>();
  private static readonly most = 12;

  get(number: number): Promise<unknown[]> {
    let block = this.opened.get(number);
    this.opened.delete(number);
    if (!block) {
      const text = element(`memuse-block-${number}`);
      block = text === null ? Promise.reject(new Error(`block ${number} is missing: the file was cut`)) : unpacked(text);
    }
    this.opened.set(number, block);
    const oldest = this.opened.keys().next();
    if (this.opened.size > Blocks.most && !oldest.done) this.opened.delete(oldest.value);
    return block;
  }
}

function embeddedData(): Data {
  const blocks = new Blocks();
  return {
    served: false,
    textLimit: embedded<{ limit: number | null }>("texts").limit,
    study: embedded<Study>("study"),
    episodes: embedded<RawColumns>("episodes"),
    items: embedded<RawColumns>("items"),
    async episode(uid, block) {
      if (block === null) return null;
      const all = (await blocks.get(block)) as EpisodePage[];
      return all.find((one) => one.episode?.["uid"] === uid) ?? null;
    },
    async item(key, block) {
      if (block === null) return null;
      const all = (await blocks.get(block)) as ItemPage[];
      const same = (one: ItemPage) =>
        one.item === key.item && one.configuration === key.configuration && one.run === key.run && one.store === key.store;
      return all.find(same) ?? null;
    },
  };
}

async function asked<T>(path: string): Promise<T> {
  const response = await fetch(`api/${path}`, { cache: "no-store" });
  if (!response.ok) throw new Error((await response.text()).trim());
  return (await response.json()) as T;
}

async function servedData(): Promise<Data> {
  const [study, episodes, items] = await Promise.all([
    asked<Study>("study"), asked<RawColumns>("episodes"), asked<RawColumns>("items"),
  ]);
  return {
    served: true,
    textLimit: null,
    study,
    episodes,
    items,
    episode: (uid) => asked<EpisodePage>(`episode?uid=${encodeURIComponent(uid)}`),
    item: (key) => asked<ItemPage>(`item?${new URLSearchParams({ ...key }).toString()}`),
  };
}

export async function loadData(): Promise<Data> {
  return document.getElementById("memuse-served") ? servedData() : embeddedData();
}
