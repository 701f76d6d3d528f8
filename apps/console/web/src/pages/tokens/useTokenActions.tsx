import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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
    const { name } = token;
    notifications.show({
      message: status === "enabled" ? t`${name} is enabled.` : t`${name} is disabled. Requests with it are refused.`,
    });
  };

  return {
    enable: (token: Token) =>
      void setStatus(token, "enabled").catch((error: unknown) =>
        notifications.show({ color: "red", message: messageOf(error) }),
      ),
    disable: (token: Token) => {
      const name = <b>{token.name}</b>;
      confirm({
        title: t`Disable this token?`,
        children: (
          <Text>
            <Trans>Requests with {name} are refused until you enable it again.</Trans>
          </Text>
        ),
        confirm: t`Disable`,
        act: () => setStatus(token, "disabled"),
      });
    },
    rotate: (token: Token) => {
      const name = <b>{token.name}</b>;
      confirm({
        title: t`Rotate this token?`,
        children: (
          <Stack gap="xs">
            <Text>
              <Trans>
                {name} is revoked at once. A new token with the same settings and the remaining quota replaces it.
              </Trans>
            </Text>
            <Text c="dimmed">
              <Trans>Programs that use the current value are refused until they have the new one.</Trans>
            </Text>
          </Stack>
        ),
        confirm: t`Rotate`,
        act: async () => {
          const created = await ask(api.POST("/api/tokens/{id}/rotate", pathOf(token)));
          await refresh();
          onCreated(created);
        },
      });
    },
    revoke: (token: Token) => {
      const name = <b>{token.name}</b>;
      confirm({
        title: t`Revoke this token?`,
        children: (
          <Text>
            <Trans>{name} stops working at once. This can't be undone.</Trans>
          </Text>
        ),
        confirm: t`Revoke`,
        act: async () => {
          await ask(api.POST("/api/tokens/{id}/revoke", pathOf(token)));
          await refresh();
          notifications.show({ message: revokedText(token) });
        },
      });
    },
  };
}

export type TokenActions = ReturnType<typeof useTokenActions>;

const revokedText = ({ name }: Token) => t`${name} is revoked.`;
