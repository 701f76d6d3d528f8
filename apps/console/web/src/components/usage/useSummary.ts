import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { paths } from "@tollgate/client/console";

import { api, ask } from "@/api/client";

export type SummaryQuery = NonNullable<paths["/api/usage-summary"]["get"]["parameters"]["query"]>;

/** Usage over time and by dimension. It is read anew every minute while it is looked at. */
export function useSummary(query: SummaryQuery, enabled = true) {
  return useQuery({
    queryKey: ["usage-summary", query],
    queryFn: async () => (await ask(api.GET("/api/usage-summary", { params: { query } }))).items,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
  });
}
