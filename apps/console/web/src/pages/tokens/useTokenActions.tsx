import { Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";
import { confirm } from "@/components/confirm";

type Token = Schema<"Token">;

/** Returns the actions for a token. They ask for confirmation first if they cannot be undone. */
export function useTokenActions(onCreated: (created: Schema<"CreatedToken">) => void) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["tokens"] });
  const pathOf = (token: Token) => ({ params: { path: { id: token.id } } });

  const setStatus = async (token: Token, status: "enabled" | "disabled") => {
    await ask(api.PATCH("/api/tokens/{id}", { ...pathOf(token), body: { status } }));
    await refresh();
    notifications.show({ message: status === "enabled" ? `${token.name} is enabled again.` : `${token.name} is disabled: calls with it are refused within a second.` });
  };

  return {
    enable: (token: Token) => void setStatus(token, "enabled").catch((error: unknown) => notifications.show({ color: "red", message: messageOf(error) })),
    disable: (token: Token) =>
      confirm({
        title: "Disable this token?",
        children: <Text>Calls with <b>{token.name}</b> are refused until it is enabled again.</Text>,
        confirm: "Disable",
        act: () => setStatus(token, "disabled"),
      }),
    rotate: (token: Token) =>
      confirm({
        title: "Rotate this token?",
        children: (
          <Stack gap="xs">
            <Text><b>{token.name}</b> is revoked at once, and a token like it takes its place, with what is left of its quota.</Text>
            <Text c="dimmed">Programs that use the present value are refused until they have the new one.</Text>
          </Stack>
        ),
        confirm: "Rotate",
        act: async () => {
          const created = await ask(api.POST("/api/tokens/{id}/rotate", pathOf(token)));
          await refresh();
          onCreated(created);
        },
      }),
    revoke: (token: Token) =>
      confirm({
        title: "Revoke this token?",
        children: <Text>Calls with <b>{token.name}</b> are refused within a second, for ever. This cannot be taken back.</Text>,
        confirm: "Revoke",
        act: async () => {
          await ask(api.POST("/api/tokens/{id}/revoke", pathOf(token)));
          await refresh();
          notifications.show({ message: `${token.name} is revoked.` });
        },
      }),
  };
}

export type TokenActions = ReturnType<typeof useTokenActions>;
