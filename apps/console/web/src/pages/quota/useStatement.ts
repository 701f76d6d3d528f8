import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

import { type Month, statement } from "./statement";

type Entry = Schema<"LedgerEntry">;

const pageSize = 200;
const maxPages = 50; // 10,000 entries

/** Reads the entries of the ledger since a time, newest first. */
async function entriesSince(from: string): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { items, next } = await ask(api.GET("/api/ledger", { params: { query: { after, limit: pageSize } } }));
    const within = items.filter(({ created_at }) => Date.parse(created_at) >= Date.parse(from));
    found.push(...within);
    if (!next || within.length < items.length) return found;
    after = next;
  }
  throw new Error("the ledger has too many entries for a statement");
}

/** Reads the statement of a month of the user's tenant. */
export function useStatement(month: Month) {
  return useQuery({
    queryKey: ["statement", month.name],
    queryFn: async () => {
      // The usage comes first: what is used between the reads is missing in it, and the next refresh shows it.
      const usage = await ask(
        api.GET("/api/usage-summary", { params: { query: { from: month.from, bucket: "day" } } }),
      );
      const [quota, entries] = await Promise.all([ask(api.GET("/api/quota")), entriesSince(month.from)]);
      return statement(month, quota.wallet?.left ?? "0", entries, usage.items);
    },
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
