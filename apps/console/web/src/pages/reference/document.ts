import { t } from "@lingui/core/macro";
import { queryOptions } from "@tanstack/react-query";
import { createContext, useContext } from "react";

import type { OpenAPI } from "./openapi";

/**
 * Reads the relay's OpenAPI document. It is part of the console's build, so it does not change while the page is open.
 */
export const documentQuery = queryOptions({
  queryKey: ["relay-document"],
  queryFn: async ({ signal }): Promise<OpenAPI> => {
    const response = await fetch("/reference/openapi.json", { signal });
    const { ok, status } = response;
    if (!ok) throw new Error(t`The console answered with status ${status}.`);
    return (await response.json()) as OpenAPI;
  },
  staleTime: Infinity,
});

/** The document that the page shows. */
export const DocumentContext = createContext<OpenAPI | undefined>(undefined);

export function useDocument(): OpenAPI {
  const document = useContext(DocumentContext);
  if (!document) throw new Error("useDocument is called outside of the API reference");
  return document;
}
