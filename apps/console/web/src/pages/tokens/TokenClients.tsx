import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Title } from "@mantine/core";
import { IconDevices } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Schema } from "@/api/client";
import { tokenClientsQuery } from "@/api/tokenClients";
import { agentName } from "@/components/agent";
import { type Column, DataTable } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { EmptyState } from "@/components/states";
import { Moment } from "@/components/values";
import { showCount } from "@/format/number";

type Client = Schema<"TokenClient">;

/** Lists from which addresses and with which programs a token was used, the latest first. */
export function TokenClients({ token }: { token: Schema<"Token"> }) {
  const query = useQuery(tokenClientsQuery(token.id));
  const columns = useMemo(() => clientColumns(token.id), [token.id]);
  return (
    <Card>
      <Title order={2} mb="sm">
        <Trans>Used from</Trans>
      </Title>
      <DataTable
        caption={t`Used from`}
        columns={columns}
        rows={query.data?.items}
        whole
        rowKey={(client) => `${client.address} ${client.agent}`}
        error={query.error}
        retry={() => void query.refetch()}
        skeletonRows={2}
        empty={
          token.last_used ? (
            <EmptyState icon={IconDevices} title={t`No addresses on record`}>
              <Trans>
                Addresses and programs of new calls appear here a few seconds later. Those of older calls are no longer
                kept, or this gateway keeps none.
              </Trans>
            </EmptyState>
          ) : (
            <EmptyState icon={IconDevices} title={t`Not used yet`}>
              <Trans>
                The addresses and programs that call models with this token appear here a few seconds later.
              </Trans>
            </EmptyState>
          )
        }
      />
    </Card>
  );
}

function clientColumns(token: string): Column<Client>[] {
  return [
    {
      id: "address",
      header: t`IP address`,
      value: (client) => client.address,
      cell: (client) =>
        client.address ? (
          <span className="mono">{client.address}</span>
        ) : (
          <span className="dimmed" title={t`All further addresses and programs together`}>
            <Trans context="addresses">Others</Trans>
          </span>
        ),
    },
    {
      id: "program",
      header: t`Program`,
      value: (client) => client.agent,
      cell: (client) => <span title={client.agent}>{client.address ? agentName(client.agent) : "–"}</span>,
    },
    {
      id: "calls",
      header: t`Requests`,
      width: 120,
      align: "right",
      value: (client) => client.calls,
      cell: (client) =>
        client.id ? (
          <AnchorLink to="/usage-logs" search={{ token, client: client.id }}>
            {showCount(client.calls)}
          </AnchorLink>
        ) : (
          showCount(client.calls)
        ),
    },
    {
      id: "last_at",
      header: t`Last used`,
      width: 160,
      value: (client) => client.last_at,
      cell: (client) => <Moment at={client.last_at} />,
    },
  ];
}
