import { Badge, Group, Stack, Text, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { isOperator, type Identity } from "@/api/session";
import type { Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { TenantName, UserName } from "@/components/names";
import { QuotaUse } from "@/components/quota/QuotaUse";
import { Moment, Status } from "@/components/values";

import { stateOf } from "./form";

type Token = Schema<"Token">;

/** Shows the first model of a token, and all of them on hover. */
export function ModelList({ models }: { models: string[] }) {
  if (models.length === 0) return <Text component="span" inherit c="dimmed">All</Text>;
  const [first = "", ...others] = models;
  return (
    <Tooltip label={models.slice(0, 30).join(", ")} disabled={others.length === 0 && first.length < 24}>
      <Group gap={6} wrap="nowrap" display="inline-flex" maw={220}>
        <Text component="span" className="mono" truncate miw={40}>{first}</Text>
        {others.length > 0 && <Badge color="gray" miw="max-content">+{others.length}</Badge>}
      </Group>
    </Tooltip>
  );
}

function NameCell({ token }: { token: Token }) {
  return (
    <Stack gap={0} maw={{ base: "100%", sm: 200 }} miw={0}>
      <Group gap={6} wrap="nowrap">
        <AnchorLink to="/tokens/$id" params={{ id: token.id }} inherit c="inherit" fw={500} truncate title={token.name}>
          {token.name}
        </AnchorLink>
        {token.purpose === "playground" && <Badge color="gray" miw="max-content">Playground</Badge>}
      </Group>
      <Text component="span" size="xs" c="dimmed" className="mono" truncate>{token.mask}</Text>
    </Stack>
  );
}

/** Returns the columns of the token list for the role of the signed-in user. */
export function tokenColumns(identity: Identity, menu: (token: Token) => ReactNode): Column<Token>[] {
  const many = identity.user.role !== "member";
  return [
    { header: "Token", cell: (token) => <NameCell token={token} /> },
    { header: "Status", cell: (token) => <Status value={stateOf(token)} /> },
    ...(isOperator(identity) ? [{ header: "Tenant", cell: (token: Token) => <TenantName id={token.tenant_id} /> }] : []),
    ...(many ? [{ header: "Owner", cell: (token: Token) => <UserName id={token.user_id} />, secondary: true }] : []),
    { header: "Models", cell: (token) => <ModelList models={token.models} />, secondary: true },
    { header: "Quota", cell: (token) => <QuotaUse quota={token.quota} label={token.name} /> },
    { header: "Expires", cell: (token) => <Moment at={token.expires_at} />, secondary: true },
    { header: "Last used", cell: (token) => <Moment at={token.last_used} /> },
    { header: "Actions", align: "right", width: 70, cell: menu },
  ];
}
