import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";

import { logQuery, type LogFilters } from "./filters";
import { countNew, idAt, mergeNewest } from "./live";

type UsageLog = Schema<"UsageLog">;

const every = 2_000;
const most = 200;
/**
 * How far back in ms each read looks for late logs. A log appears when its call ends, but its id contains the time at
 * which the call began.
 */
const lateness = 5 * 60_000;

async function fetchNewest(filters: LogFilters, known: readonly UsageLog[] | undefined): Promise<UsageLog[]> {
  // The first read takes the newest page. Later reads ask only for recent ids.
  const query = known ? { ...logQuery(filters, Date.now()), newer_than: idAt(Date.now() - lateness) } : logQuery(filters, Date.now());
  const page = await ask(api.GET("/api/usage-logs", { params: { query: { ...query, limit: known ? 100 : 50 } } }));
  return mergeNewest(known ?? [], page.items, most);
}

/**
 * Reads the newest logs, at most 200, and refetches every two seconds while the page is visible. While `held` is
 * true, the shown rows do not change and `waiting` counts the newer ones.
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
