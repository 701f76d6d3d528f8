import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./mantine.css";
import "./main.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queryClient, sessionQuery } from "./api/query";
import type { Identity } from "./api/session";
import { Localised } from "./locale/Localised";
import { startLanguage } from "./locale/messages";
import { nonce } from "./nonce";
import { withFragment } from "./pages/sign-in/fragment";
import { router } from "./router";
import { cssVariables, makeTheme } from "./theme";

/** Shows the console in `root`. After a sign-in, it starts with the page `to` for the user who has signed in. */
export async function start(root: HTMLElement, entry?: { identity: Identity; to: string }) {
  await startLanguage();
  if (entry) queryClient.setQueryData(sessionQuery.queryKey, entry.identity);
  const { pathname, search, hash } = window.location;
  const here = `${pathname}${search}${hash}`;
  const page = withFragment(entry?.to ?? here); // a single sign-on leads here without an entry
  if (page !== here) router.history.replace(page);
  createRoot(root).render(
    <StrictMode>
      <Localised>
        {() => (
          <MantineProvider
            theme={makeTheme()}
            cssVariablesResolver={cssVariables}
            defaultColorScheme="auto"
            getStyleNonce={() => nonce}
          >
            <QueryClientProvider client={queryClient}>
              <RouterProvider router={router} />
            </QueryClientProvider>
          </MantineProvider>
        )}
      </Localised>
    </StrictMode>,
  );
}
