import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { maxRows } from "@/pages/operator/catalog/queries";

import type { Difference } from "./selection";

/** Reads which file applies. */
export const fileQuery = queryOptions({
  queryKey: ["operator", "price-catalog", "file"],
  queryFn: () => ask(api.GET("/api/operator/price-catalog")),
});

/** Reads the differences from current prices, page by page. */
export const differencesQuery = queryOptions({
  queryKey: ["operator", "price-catalog", "changes"],
  queryFn: async () => {
    const items: Difference[] = [];
    let after = "";
    for (;;) {
      const page = await ask(
        api.GET("/api/operator/price-catalog/changes", { params: { query: { limit: 200, ...(after && { after }) } } }),
      );
      items.push(...page.items);
      after = page.next;
      if (!after || items.length >= maxRows) return { items, sha256: page.sha256, more: after !== "" };
    }
  },
});

/** Searches the entries, with those of the provider first. */
export const entriesQuery = (search: string, first: string) =>
  queryOptions({
    queryKey: ["operator", "price-catalog", "entries", "search", search, first],
    queryFn: () => ask(api.GET("/api/operator/price-catalog/entries", { params: { query: { search, first } } })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** Reads the entries for a model of this name. */
export const offersQuery = (model: string) =>
  queryOptions({
    queryKey: ["operator", "price-catalog", "entries", model],
    queryFn: () => ask(api.GET("/api/operator/price-catalog/entries", { params: { query: { model } } })),
    enabled: model.length > 1,
    staleTime: 60_000,
  });
