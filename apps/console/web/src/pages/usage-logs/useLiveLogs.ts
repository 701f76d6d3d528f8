import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";

import { logQuery, type LogFilters } from "./filters";
import { countNew, grow, idAt, type Newest } from "./live";

type UsageLog = Schema<"UsageLog">;

const every = 2_000;
const pageSize = 100;
/**
 * How far back in ms most reads look for late logs. A log appears when its call ends, but its id contains the time at
 * which the call began.
 */
const lateness = 5 * 60_000;
/**
 * How long in ms a whole page lasts. The next one also has the logs of longer calls, if these are among the newest,
 * whatever the clock of the browser says.
 */
const pageLasts = 60_000;

const read = (filters: LogFilters, newer_than?: string) =>
  ask(
    api.GET("/api/usage-logs", {
      params: { query: { ...logQuery(filters, Date.now()), newer_than, limit: pageSize } },
    }),
  );

export async function fetchNewest(filters: LogFilters, known: Newest<UsageLog> | undefined): Promise<Newest<UsageLog>> {
  const now = Date.now();
  // Most reads ask only for recent ids.
  if (known && now - known.pageAt < pageLasts) {
    const { items, next } = await read(filters, idAt(now - lateness));
    const grown = grow(known, items, next === "");
    if (grown) return grown;
  }
  const { items, next } = await read(filters);
  return { rows: items, next, pageAt: now };
}

/**
 * Reads the first page of the logs and refetches every two seconds while the browser's tab is visible. New logs make
 * the page longer. While `held` is true, the shown rows do not change and `waiting` counts the newer ones, which
 * `release` shows. While `enabled` is false, it reads nothing and returns what it has.
 */
export function useLiveLogs(filters: LogFilters, enabled: boolean, held: boolean) {
  const query = useQuery({
    queryKey: ["usage-logs", "live", filters],
    queryFn: ({ client, queryKey }) => fetchNewest(filters, client.getQueryData<Newest<UsageLog>>(queryKey)),
    enabled,
    // A first read that fails shows why, until the user tries again.
    refetchInterval: ({ state }) => (state.error && !state.data ? false : every),
    refetchIntervalInBackground: false,
    staleTime: 0,
    gcTime: 0,
  });
  const latest = query.data;
  const of = JSON.stringify(filters);
  const [shown, setShown] = useState({ of, page: latest });
  const release = () => setShown({ of, page: latest });
  // What is shown for other filters is not held.
  if (shown.of !== of || (shown.page !== latest && (!held || shown.page === undefined))) release();
  const page = held && shown.of === of ? (shown.page ?? latest) : latest;
  return {
    page,
    waiting: page && latest ? countNew(page.rows, latest.rows) : 0,
    release,
    error: query.error,
    retry: () => void query.refetch(),
  };
}
