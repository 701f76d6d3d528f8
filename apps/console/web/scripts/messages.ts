/**
 * Checks the messages of the console: no text outside of messages, message files that agree with the code, complete
 * translations, and areas that load what they use. docs/translating.md says what to do about each finding.
 */
import { getCatalogs } from "@lingui/cli/api";
import { getConfig } from "@lingui/conf";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { type Area, areas } from "../src/locale/areas.ts";
import { literals } from "./literals.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const table: Record<string, Area> = areas;
const findings: string[] = [];

/**
 * An area is unconverted while its folder of message files has a file of this name. Nothing but its imports is checked.
 */
const unconverted = (area: string) => existsSync(join(src, "locales", area, "unconverted"));

/** Returns the area of a file below src: the one with the longest path that contains the file. */
function areaOf(file: string): string | undefined {
  let best: { area: string; length: number } | undefined;
  for (const [area, { paths }] of Object.entries(table)) {
    for (const path of paths) {
      if ((file === path || file.startsWith(`${path}/`)) && path.length > (best?.length ?? -1))
        best = { area, length: path.length };
    }
  }
  return best?.area;
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);
const sources = new Map(files.map((file) => [file, readFileSync(join(src, file), "utf8")]));

function checkLiterals() {
  for (const [file, source] of sources) {
    const area = areaOf(file);
    if (!area) findings.push(`src/${file}: belongs to no area: add its folder to src/locale/areas.ts`);
    else if (!unconverted(area))
      for (const { line, text, reason } of literals(file, source))
        findings.push(`src/${file}:${line}: "${text}" ${reason}`);
  }
}

/** Returns the files that a file imports, at once or later. */
function importsOf(file: string): string[] {
  const found = [...(sources.get(file) ?? "").matchAll(/^(?!import type).*?(?:from|import\()\s*"([@.][^"]*)"/gm)].map(
    ([, path = ""]) => path,
  );
  return found.flatMap((path) => {
    const target = path.startsWith("@/") ? path.slice(2) : normalize(join(dirname(file), path));
    return [`${target}.tsx`, `${target}.ts`, target].find((name) => sources.has(name)) ?? [];
  });
}

/** Returns the areas whose messages are loaded whenever code of the area runs. */
function loadedWith(area: string): Set<string> {
  const loaded = new Set<string>();
  const add = (name: string) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    table[name]?.needs?.forEach(add);
  };
  for (const name of ["start", area]) add(name);
  // The shell frames all pages but those that need no session.
  if (area !== "start" && area !== "reference") add("shell");
  return loaded;
}

function checkAreas() {
  const usesMessages = (file: string) => /from "@lingui\/(core|react)\/macro"/.test(sources.get(file) ?? "");
  for (const file of files) {
    const area = areaOf(file);
    if (!area || file.startsWith("routes/")) continue; // a route loads the messages of its page
    const loaded = loadedWith(area);
    for (const target of importsOf(file)) {
      const other = areaOf(target);
      if (other && !loaded.has(other) && usesMessages(target))
        findings.push(`src/${file}: uses ${target}: add "${other}" to the needs of "${area}" in src/locale/areas.ts`);
    }
  }
  for (const [file, source] of sources) {
    for (const [, area = "", path = ""] of source.matchAll(
      /withMessages\("([^"]+)", \(\) => import\("@\/([^"]+)"\)/g,
    )) {
      if (areaOf(`${path}.tsx`) !== area) findings.push(`src/${file}: loads the messages of "${area}" for ${path}`);
    }
    if (file.startsWith("routes/") && /lazyRouteComponent\(\(\)/.test(source))
      findings.push(`src/${file}: a page is loaded without withMessages`);
  }
}

async function checkCatalogues() {
  const config = getConfig({ cwd: root });
  const translations = new Map<string, { text: string; area: string }>();
  for (const catalog of await getCatalogs(config)) {
    const area = relative(join(src, "locales"), dirname(catalog.path));
    if (unconverted(area)) continue;
    const used = (await catalog.collect()) ?? {};
    for (const locale of config.locales) {
      const name = `src/locales/${area}/${locale}.po`;
      const stored = (await catalog.read(locale)) ?? {};
      for (const [id, { message }] of Object.entries(used))
        if (!stored[id]) findings.push(`${name}: lacks "${message ?? id}": run npm run extract`);
      for (const [id, { message, obsolete, translation }] of Object.entries(stored)) {
        const text = message ?? id;
        if (!used[id] || obsolete) findings.push(`${name}: "${text}" is used no more: run npm run extract`);
        else if (!translation) findings.push(`${name}: "${text}" is not translated`);
        else if (locale !== config.sourceLocale)
          findings.push(...faults(name, text, translation), ...twice(translations, { id, area, text, translation }));
      }
    }
  }
}

/** Words that say the same as a term of docs/translating.md, and the term. */
const terms = new Map([
  ["配额", "额度"],
  ["账本", "流水"],
  ["用量日志", "使用日志"],
  ["凭据", "密钥"],
  ["提醒", "告警"],
]);

/** Compares the placeholders and tags of a translation with those of its message, and its words with the terms. */
function faults(name: string, text: string, translation: string): string[] {
  const parts = (message: string) => [...new Set(message.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g) ?? [])].sort().join(" ");
  const found =
    parts(text) === parts(translation) ? [] : [`${name}: "${text}" has other placeholders in its translation`];
  for (const [word, term] of terms)
    if (translation.includes(word)) found.push(`${name}: "${text}" is translated with ${word}: use ${term}`);
  return found;
}

/** A message of two areas has one text at run time, so that its translations must agree. */
function twice(
  translations: Map<string, { text: string; area: string }>,
  { id, area, text, translation }: { id: string; area: string; text: string; translation: string },
): string[] {
  const first = translations.get(id);
  if (!first) translations.set(id, { text: translation, area });
  return !first || first.text === translation
    ? []
    : [`src/locales/${area}: "${text}" is translated otherwise in ${first.area}: agree, or give one of them a context`];
}

checkLiterals();
checkAreas();
await checkCatalogues();
if (findings.length > 0) {
  console.error(findings.join("\n"));
  console.error(`${findings.length} findings: see docs/translating.md`);
  process.exit(1);
}
