import { t } from "@lingui/core/macro";

/** Ordered: many browsers also contain the names of browsers further down. */
const browsers: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, "Edge"], // not translated: name of a product
  [/OPR\/(\d+)/, "Opera"], // not translated: name of a product
  [/SamsungBrowser\/(\d+)/, "Samsung Internet"], // not translated: name of a product
  [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"], // not translated: name of a product
  [/(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, "Chrome"], // not translated: name of a product
  [/Version\/(\d+).*Safari\//, "Safari"], // not translated: name of a product
  [/^curl\/(\d+)/, "curl"],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad|iPod/, "iOS"],
  [/Android/, "Android"], // not translated: name of a product
  [/Windows/, "Windows"], // not translated: name of a product
  [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"], // not translated: name of a product
];

/** The name of a program that is built on a browser, such as "CherryStudio/1.2.7", before the browser's own name. */
const onBrowser = /\(KHTML, like Gecko\) (\S+\/\S+) Chrome\/\S+ Electron\//;

/**
 * Returns a readable name of a client, such as "Firefox 140 on Linux". For an unknown client it returns the user
 * agent, cut to 60 characters.
 */
export function agentName(agent: string): string {
  if (agent.trim() === "") return t`Unknown client`;
  const program = onBrowser.exec(agent)?.[1];
  if (program) return short(program);
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(agent)?.[1];
    if (!version) continue;
    const client = `${name} ${version}`;
    return system ? t`${client} on ${system}` : client;
  }
  return short(agent);
}

const short = (name: string) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);
