import "@fontsource-variable/inter/wght.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import type { Identity } from "./api/session";
import { Localised } from "./locale/Localised";
import { startLanguage } from "./locale/messages";
import { keepFragment } from "./pages/sign-in/fragment";
import { SignIn } from "./pages/sign-in/SignIn";
import { rootElement } from "./rootElement";

/**
 * The sign-in page, a document of its own: it loads without the rest of the console. The server sends it for its own
 * address, and for pages that need a session when the browser has none.
 */
const own = "/sign-in";

const { pathname, search, hash } = window.location;
if (pathname !== own) {
  keepFragment(pathname, hash.slice(1));
  const to = `${pathname}${search}`;
  window.history.replaceState(null, "", to === "/" ? own : `${own}?${new URLSearchParams({ to })}`);
}

// The rest of the console is loaded while the user types.
const load = () => import("./app");
for (const event of ["keydown", "pointerdown"]) window.addEventListener(event, () => void load(), { once: true });

await startLanguage();
const element = rootElement();
const root = createRoot(element);

async function enter(identity: Identity, to: string) {
  try {
    const { start } = await load();
    root.unmount();
    await start(element, { identity, to });
  } catch {
    window.location.assign(to); // after an upgrade, the server no longer has the code that this page names
  }
}

root.render(
  <StrictMode>
    <Localised>
      {() => (
        <SignIn
          query={new URLSearchParams(window.location.search)}
          enter={(identity, to) => void enter(identity, to)}
        />
      )}
    </Localised>
  </StrictMode>,
);
