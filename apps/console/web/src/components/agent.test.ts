import { expect, it } from "vitest";

import { agentName } from "./agent";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    "Edge 140 on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
    "Safari 18 on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1",
    "Chrome 140 on iOS",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) CherryStudio/1.2.7 Chrome/130.0.6723.191 Electron/33.4.11 Safari/537.36",
    "CherryStudio/1.2.7",
  ],
  ["curl/8.5.0", "curl 8"],
  ["OpenAI/Python 2.1.0", "OpenAI/Python 2.1.0"],
  ["Go-http-client/2.0", "Go-http-client/2.0"],
  ["", "Unknown client"],
])("%s is named %s", (agent, name) => expect(agentName(agent)).toBe(name));

it("cuts long names", () => expect(agentName("x".repeat(500))).toHaveLength(60));
