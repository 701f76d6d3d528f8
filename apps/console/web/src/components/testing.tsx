import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { configure, render } from "@testing-library/react";
import type { ReactNode } from "react";

import { queryClient } from "@/api/query";

// Mantine's text areas wait for fonts, which happy-dom does not have.
if (typeof document !== "undefined" && !("fonts" in document))
  Object.defineProperty(document, "fonts", { value: new EventTarget() });

configure({ asyncUtilTimeout: 20_000 }); // a loaded machine is slow

/**
 * Renders a component as the console does, without animations, in English. For test files that begin with
 * "@vitest-environment happy-dom".
 */
export const renderIn = (children: ReactNode) =>
  render(children, {
    wrapper: ({ children: inner }) => (
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queryClient}>
          <MantineProvider env="test">{inner}</MantineProvider>
        </QueryClientProvider>
      </I18nProvider>
    ),
  });
