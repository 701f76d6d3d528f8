import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";

import type { Month } from "./statement";

/** Reads the statement of a month of the user's tenant. */
export function useStatement(month: Month) {
  return useQuery({
    queryKey: ["statement", month.name],
    queryFn: () => ask(api.GET("/api/statement", { params: { query: { month: month.name } } })),
    refetchInterval: 60_000,
  });
}

/** Reads the usage of a month by model. */
export function useModels(month: Month) {
  return useQuery({
    queryKey: ["statement-models", month.name],
    queryFn: async () =>
      (await ask(api.GET("/api/usage-summary", { params: { query: { from: month.from, to: month.to, by: "model" } } })))
        .items,
  });
}
