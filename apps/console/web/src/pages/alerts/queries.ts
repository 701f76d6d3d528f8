import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";

export type Destination = Schema<"AlertDestination">;

/** Reads all destinations: there are at most 20. */
export const useDestinations = () =>
  useQuery({
    queryKey: ["alert-destinations"],
    queryFn: () => ask(api.GET("/api/alert-destinations", { params: { query: { limit: 200 } } })),
  });

/** Reads all rules: there are at most 50. */
export const useRules = () =>
  useQuery({
    queryKey: ["alert-rules"],
    queryFn: () => ask(api.GET("/api/alert-rules", { params: { query: { limit: 200 } } })),
  });

/** Reads everything about alerts again after a change. */
export const refreshAlerts = () =>
  Promise.all(
    ["alert-destinations", "alert-rules", "alerts"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
