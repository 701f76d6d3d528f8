import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";

/** Reads the second factors of the signed-in user. */
export const factorsQuery = queryOptions({
  queryKey: ["factors"],
  queryFn: () => ask(api.GET("/api/session/factors")),
});

/** Reads the passkeys of the signed-in user. */
export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () => ask(api.GET("/api/session/passkeys")),
});

/** Rereads the second factors after a change, and the session, which tells whether one is still missing. */
export const refreshFactors = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  ]);

/** Rereads the passkeys after a change, and the second factors, which include passkeys. */
export const refreshPasskeys = () =>
  Promise.all([queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }), refreshFactors()]);
