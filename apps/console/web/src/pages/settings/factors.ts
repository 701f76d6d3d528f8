import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { queryClient } from "@/api/query";

/** Which second factors the signed-in user has. */
export const factorsQuery = queryOptions({ queryKey: ["factors"], queryFn: () => ask(api.GET("/api/session/factors")) });

/** The signed-in user's passkeys. */
export const passkeysQuery = queryOptions({ queryKey: ["passkeys"], queryFn: () => ask(api.GET("/api/session/passkeys")) });

/** Reads the second factors again after a change. */
export const refreshFactors = () => queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey });

/** Reads the passkeys again after a change. They count among the second factors. */
export const refreshPasskeys = () => Promise.all([queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }), refreshFactors()]);
