import { defaultParseSearch } from "@tanstack/react-router";

import { queryClient, sessionQuery } from "./api/query";
import { start } from "./app";
import { loadMessages } from "./locale/messages";
import { overviewSearch } from "./pages/overview/search";
import { prefetchOverview } from "./pages/overview/view";
import { rootElement } from "./rootElement";

const shown = start(rootElement());

// The session, and the code, the messages and the data of the first page, are loaded at the same time rather than one
// after the other. early.ts has already begun to read the data, unless this script was faster.
if (window.location.pathname === "/") {
  window.earlyReads ??= { at: Date.now(), answers: new Map() };
  const search = overviewSearch(defaultParseSearch(window.location.search));
  void Promise.allSettled([
    queryClient.ensureQueryData(sessionQuery).then((identity) => prefetchOverview(identity, search)),
    import("./shell/Shell"),
    import("./pages/overview/Overview"),
    loadMessages("shell", "overview"),
  ]);
}

await shown;
