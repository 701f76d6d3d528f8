import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";

import { logQuery, type LogFilters } from "./filters";
import { countNew, idAt, mergeNewest } from "./live";

type UsageLog = Schema<"UsageLog">;

const every = 2_000;
const most = 200;
/** Logs appear when their calls end, under ids of when they began: so far back is looked for late ones. */
const lateness = 5 * 60_000;

async function fetchNewest(filters: LogFilters, known: readonly UsageLog[] | undefined): Promise<UsageLog[]> {
  const query = known ? { ...logQuery(filters, Date.now()), newer_than: idAt(Date.now() - lateness) } : logQuery(filters, Date.now());
  const page = await ask(api.GET("/api/usage-logs", { params: { query: { ...query, limit: known ? 100 : 50 } } }));
  return mergeNewest(known ?? [], page.items, most);
}

/**
 * The newest logs, read anew every two seconds while the page is looked at; at most 200. While `held` the rows that are
 * shown stay as they are, and `waiting` counts those that came since.
 */
export function useLiveLogs(filters: LogFilters, enabled: boolean, held: boolean) {
  const query = useQuery({
    queryKey: ["usage-logs", "live", filters],
    queryFn: ({ client, queryKey }) => fetchNewest(filters, client.getQueryData<UsageLog[]>(queryKey)),
    enabled,
    refetchInterval: every,
    refetchIntervalInBackground: false,
    staleTime: 0,
    gcTime: 0,
  });
  const latest = query.data;
  const [shown, setShown] = useState(latest);
  if (!held && shown !== latest) setShown(latest);
  const rows = held ? (shown ?? latest) : latest;
  return { rows, waiting: rows && latest ? countNew(rows, latest) : 0, error: query.error, retry: () => void query.refetch() };
}
