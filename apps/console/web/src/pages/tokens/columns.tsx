import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { knownTenantName } from "@/api/names";
import { isOperator, type Identity } from "@/api/session";
import type { Column } from "@/components/DataTable";
import { Hint } from "@/components/Hint";
import { AnchorLink } from "@/components/links";
import { TenantName, UserName } from "@/components/names";
import { quotaColumns } from "@/components/quota/columns";
import { Moment, Status } from "@/components/values";

import { neverExpires, stateOf } from "./form";

type Token = Schema<"Token">;

/** Shows the first model of a token, and the models that the list has on hover. `count` is the number of all models. */
function ModelList({ models, count }: { models: string[]; count: number }) {
  if (models.length === 0)
    return (
      <span className="dimmed">
        <Trans>All</Trans>
      </span>
    );
  const [first = ""] = models;
  const others = count - 1;
  return (
    <Hint
      label={models.length < count ? `${models.join(", ")}, …` : models.join(", ")}
      disabled={others === 0 && first.length < 24}
    >
      <Group gap={6} wrap="nowrap" display="inline-flex" maw={220}>
        <Text component="span" className="mono" truncate miw={40}>
          {first}
        </Text>
        {others > 0 && (
          <Badge color="gray" miw="max-content">
            +{others}
          </Badge>
        )}
      </Group>
    </Hint>
  );
}

function NameCell({ token }: { token: Token }) {
  return (
    <Stack gap={0} maw={{ base: "100%", sm: 200 }} miw={0}>
      <Group gap={6} wrap="nowrap">
        <AnchorLink to="/tokens/$id" params={{ id: token.id }} inherit c="inherit" fw={500} truncate title={token.name}>
          {token.name}
        </AnchorLink>
        {token.purpose === "playground" && (
          <Badge color="gray" miw="max-content">
            <Trans>Playground</Trans>
          </Badge>
        )}
      </Group>
      <Text component="span" size="xs" c="dimmed" className="mono" truncate>
        {token.mask}
      </Text>
    </Stack>
  );
}

/** Returns the columns of the token list for the role of the signed-in user. */
export function tokenColumns(identity: Identity, menu: (token: Token) => ReactNode): Column<Token>[] {
  const many = identity.user.role !== "member";
  return [
    { id: "token", header: t`Token`, value: (token) => token.name, cell: (token) => <NameCell token={token} /> },
    { id: "status", header: t`Status`, value: stateOf, cell: (token) => <Status value={stateOf(token)} /> },
    ...(isOperator(identity)
      ? [
          {
            id: "tenant",
            header: t`Tenant`,
            value: (token: Token) => knownTenantName(token.tenant_id),
            cell: (token: Token) => <TenantName id={token.tenant_id} />,
          },
        ]
      : []),
    ...(many
      ? [
          {
            id: "owner",
            header: t`Owner`,
            value: (token: Token) => token.user_email,
            cell: (token: Token) => <UserName id={token.user_id} />,
            secondary: true,
          },
        ]
      : []),
    {
      id: "models",
      header: t`Models`,
      value: (token) => token.models.join(" "),
      cell: (token) => token.status !== "revoked" && <ModelList models={token.models} count={token.models_count} />,
      secondary: true,
    },
    ...quotaColumns<Token>(
      (token) => token.quota,
      (token) => token.name,
    ),
    {
      id: "expires",
      header: t`Expires`,
      value: (token) => token.expires_at,
      cell: (token) => <Moment at={token.expires_at} none={neverExpires()} />,
      secondary: true,
    },
    {
      id: "last_used",
      header: t`Last used`,
      value: (token) => token.last_used,
      cell: (token) => <Moment at={token.last_used} />,
      ...(isOperator(identity) && { secondary: true }),
    },
    {
      id: "created",
      header: t`Created`,
      optional: true,
      value: (token) => token.created_at,
      cell: (token) => <Moment at={token.created_at} />,
    },
    {
      id: "mask",
      header: t`Mask`,
      optional: true,
      value: (token) => token.mask,
      cell: (token) => <span className="mono">{token.mask}</span>,
    },
    {
      id: "token_id",
      header: t`Token ID`,
      optional: true,
      value: (token) => token.id,
      cell: (token) => <span className="mono">{token.id}</span>,
    },
    { id: "actions", actions: true, header: t`Actions`, align: "right", width: 70, cell: menu },
  ];
}
