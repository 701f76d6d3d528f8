import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import type { paths } from "@tollgate/client/console";

import { api, ask } from "@/api/client";
import { timeZone } from "@/format/timeZone";

export type SummaryQuery = Omit<NonNullable<paths["/api/usage-summary"]["get"]["parameters"]["query"]>, "zone">;

/** Reads usage over time, by the reader's days and grouped by a dimension. */
export function summaryQuery(summary: SummaryQuery) {
  const query = summary.bucket === "day" ? { ...summary, zone: timeZone() } : summary;
  return queryOptions({
    queryKey: ["usage-summary", query],
    queryFn: async () => (await ask(api.GET("/api/usage-summary", { params: { query } }))).items,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

/** Returns usage over time, see summaryQuery. */
export const useSummary = (summary: SummaryQuery, enabled = true) => useQuery({ ...summaryQuery(summary), enabled });
