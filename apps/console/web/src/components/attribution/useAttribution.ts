import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";

interface AttributionQuery {
  from: string;
  to: string;
  tag?: string | undefined;
  tenant_id?: string | undefined;
}

/**
 * Reads usage by end user or by the values of a tag, if `enabled`. While another time loads, it returns the usage of
 * the previous one.
 */
export function useAttribution(query: AttributionQuery, enabled = true) {
  const { tag, tenant_id } = query;
  return useQuery({
    queryKey: ["usage-attribution", { tag, tenant_id }, query],
    queryFn: () => ask(api.GET("/api/usage-attribution", { params: { query } })),
    placeholderData: (shown, before) => {
      const of = before?.queryKey[1] as AttributionQuery | undefined;
      return of?.tag === tag && of?.tenant_id === tenant_id ? shown : undefined;
    },
    staleTime: 30_000,
    enabled,
  });
}
