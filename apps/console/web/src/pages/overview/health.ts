import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "@/api/client";

/** Reads the state of the platform every 15 seconds. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => ask(api.GET("/api/operator/health")),
  refetchInterval: 15_000,
});
