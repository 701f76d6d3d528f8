import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { paths } from "@tollgate/client/console";

import { api, ask } from "@/api/client";

export type SummaryQuery = NonNullable<paths["/api/usage-summary"]["get"]["parameters"]["query"]>;

/** Reads usage over time, grouped by a dimension. It refetches every minute while the page is visible. */
export function useSummary(query: SummaryQuery, enabled = true) {
  return useQuery({
    queryKey: ["usage-summary", query],
    queryFn: async () => (await ask(api.GET("/api/usage-summary", { params: { query } }))).items,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
  });
}
