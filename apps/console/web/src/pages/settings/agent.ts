/** In order: many browsers also call themselves by the names of those below. */
const browsers: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/(\d+)/, "Edge"],
  [/OPR\/(\d+)/, "Opera"],
  [/SamsungBrowser\/(\d+)/, "Samsung Internet"],
  [/(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, "Chrome"],
  [/Version\/(\d+).*Safari\//, "Safari"],
  [/^curl\/(\d+)/, "curl"],
];

const systems: [RegExp, string][] = [
  [/iPhone|iPad|iPod/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"],
];

/** What a client is, as people call it: "Firefox 140 on Linux". What it calls itself, cut, where that is not known. */
export function agentName(agent: string): string {
  if (agent.trim() === "") return "Unknown program";
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  for (const [pattern, name] of browsers) {
    const version = pattern.exec(agent)?.[1];
    if (version) return `${name} ${version}${system ? ` on ${system}` : ""}`;
  }
  return agent.length > 60 ? `${agent.slice(0, 59)}…` : agent;
}
