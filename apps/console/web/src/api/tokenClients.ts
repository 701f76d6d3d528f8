import { queryOptions } from "@tanstack/react-query";

import { api, ask } from "./client";

/** From which addresses and with which programs a token was used, the latest first. */
export const tokenClientsQuery = (token: string) =>
  queryOptions({
    queryKey: ["tokens", "clients", token],
    queryFn: () => ask(api.GET("/api/tokens/{id}/clients", { params: { path: { id: token } } })),
  });
