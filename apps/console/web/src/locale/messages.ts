import { i18n, type Messages } from "@lingui/core";

import { type AreaName, areas } from "./areas";
import { isLanguage, type Language, preferred } from "./languages";

const files = import.meta.glob<{ messages: Messages }>("../locales/*/*.po");

/** The key of the browser's storage that holds the chosen language. */
const stored = "tollgate-locale";

// The areas whose messages are loaded, or being loaded. A change of language loads all of them.
const wanted = new Set<AreaName>();
const loads = new Map<string, Promise<void>>();

/** Returns the language in use. */
export const language = (): Language => (isLanguage(i18n.locale) ? i18n.locale : "en");

/** Returns the language that the user chose in this browser; undefined if none was chosen. */
export function chosenLanguage(): Language | undefined {
  try {
    const tag = localStorage.getItem(stored);
    return isLanguage(tag) ? tag : undefined;
  } catch {
    return undefined; // the browser keeps no data for this site
  }
}

/** Loads the messages of areas, and of the areas that they need, in the language in use. */
export async function loadMessages(...names: AreaName[]): Promise<void> {
  const found = new Set<AreaName>();
  const add = (name: AreaName) => {
    if (found.has(name)) return;
    found.add(name);
    const area = areas[name];
    if ("needs" in area) area.needs.forEach(add);
  };
  names.forEach(add);
  for (const name of found) wanted.add(name);
  await loadAll(found, language());
}

const loadAll = async (names: Iterable<AreaName>, tag: Language) =>
  void (await Promise.all([...names].map((name) => loadOne(name, tag))));

/** Loads one message file once. A load that failed is tried again by the next call. */
function loadOne(name: AreaName, tag: Language): Promise<void> {
  const path = `../locales/${name}/${tag}.po`;
  const running = loads.get(path);
  if (running) return running;
  const load = (async () => {
    const file = await files[path]?.();
    if (file) i18n.load(tag, file.messages);
  })();
  loads.set(path, load);
  load.catch(() => loads.delete(path));
  return load;
}

/**
 * Activates the preferred language and loads the messages of the first page. To be called once, before anything is
 * shown.
 */
export async function startLanguage(): Promise<void> {
  const tag = preferred(chosenLanguage(), navigator.languages);
  wanted.add("start");
  activate(tag);
  await loadAll(wanted, tag);
}

/** Changes the language and keeps the choice in this browser. */
export async function chooseLanguage(tag: Language): Promise<void> {
  try {
    localStorage.setItem(stored, tag);
  } catch {
    // The choice then lasts until the page is left.
  }
  choice = tag;
  await loadAll(wanted, tag);
  if (choice === tag && tag !== language()) activate(tag);
}

let choice: Language | undefined; // the last one, whose messages are loaded or being loaded

function activate(tag: Language) {
  i18n.load(tag, {});
  i18n.activate(tag);
  document.documentElement.lang = tag;
}

/** Loads the style sheets of Mantine that the first pages do without. */
const loadStyles = () => import("../mantine-later.css");

/** The areas whose pages need only the style sheets that are there from the start. */
const plain: ReadonlySet<AreaName> = new Set(["shell", "overview"]);

/**
 * Returns a function that loads the code of a page and, at the same time, the messages of its area and the style sheets
 * of components. These begin first, because the page's own must follow them.
 */
export const withMessages =
  <Code>(area: AreaName, load: () => Promise<Code>): (() => Promise<Code>) =>
  async () =>
    (await Promise.all([plain.has(area) ? undefined : loadStyles(), load(), loadMessages(area)]))[1];
