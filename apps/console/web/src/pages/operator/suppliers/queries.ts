import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { queryClient } from "@/api/query";
import { fetchAll } from "@/pages/operator/catalog/queries";

/** Reads all billing accounts. */
export const accountsQuery = queryOptions({
  queryKey: ["operator", "suppliers", "accounts"],
  queryFn: () => fetchAll((query) => ask(api.GET("/api/operator/billing-accounts", { params: { query } }))),
});

/** Reads one billing account. */
export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ["operator", "suppliers", "accounts", id],
    queryFn: () => ask(api.GET("/api/operator/billing-accounts/{id}", { params: { path: { id } } })),
    refetchInterval: 15_000, // a worker fetches in the background
  });

/** Reads the comparisons of the last 31 days, of one account or of all. */
export const daysQuery = (accountId: string | undefined, status: "differs" | "matches" | "pending" | undefined) =>
  queryOptions({
    queryKey: ["operator", "suppliers", "days", accountId, status],
    queryFn: () =>
      ask(api.GET("/api/operator/supplier-days", { params: { query: { account_id: accountId, status } } })),
    refetchInterval: 30_000,
  });

/** Reads the comparison of one day by model and key. */
export const comparisonQuery = (id: string, day: string) =>
  queryOptions({
    queryKey: ["operator", "suppliers", "comparison", id, day],
    queryFn: () =>
      ask(api.GET("/api/operator/billing-accounts/{id}/comparison", { params: { path: { id }, query: { day } } })),
  });

/** Rereads everything about suppliers. */
export const reread = () => queryClient.invalidateQueries({ queryKey: ["operator", "suppliers"] });
