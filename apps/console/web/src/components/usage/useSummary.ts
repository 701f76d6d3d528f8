import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { paths } from "@tollgate/client/console";

import { api, ask } from "@/api/client";
import { timeZone } from "@/format/timeZone";

export type SummaryQuery = Omit<NonNullable<paths["/api/usage-summary"]["get"]["parameters"]["query"]>, "zone">;

/** Reads usage over time, by the reader's days and grouped by a dimension. It refetches every minute while the page is visible. */
export function useSummary(summary: SummaryQuery, enabled = true) {
  const query = summary.bucket === "day" ? { ...summary, zone: timeZone() } : summary;
  return useQuery({
    queryKey: ["usage-summary", query],
    queryFn: async () => (await ask(api.GET("/api/usage-summary", { params: { query } }))).items,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
  });
}
