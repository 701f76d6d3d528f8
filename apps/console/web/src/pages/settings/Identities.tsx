import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Text } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Moment } from "@/components/values";

import { SettingsCard } from "./SettingsCard";

type Linked = Schema<"LinkedIdentity">;

function unlink({ id, issuer }: Linked) {
  confirm({
    title: t`Unlink this sign-in?`,
    children: (
      <Text>
        <Trans>
          If you sign in with <b>{issuer}</b> later, it is linked again, as long as your email address there is the
          same.
        </Trans>
      </Text>
    ),
    confirm: t`Unlink`,
    act: async () => {
      await ask(api.DELETE("/api/session/identities/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["identities"] });
    },
  });
}

const columns = (): Column<Linked>[] => [
  { id: "identity_provider", header: t`Identity provider`, cell: (linked) => linked.issuer },
  { id: "account", header: t`Account`, cell: (linked) => linked.email },
  { id: "linked", header: t`Linked`, width: 150, cell: (linked) => <Moment at={linked.created_at} />, secondary: true },
  { id: "last_used", header: t`Last used`, width: 150, cell: (linked) => <Moment at={linked.last_used} /> },
  {
    id: "actions",
    actions: true,
    header: t`Actions`,
    width: 110,
    align: "right",
    cell: (linked) => (
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => unlink(linked)}>
        <Trans>Unlink</Trans>
      </Button>
    ),
  },
];

/**
 * Lists the OpenID Connect identities that are linked to the signed-in user; nothing if there are none and no issuer
 * is configured.
 */
export function Identities() {
  const methods = useQuery({
    queryKey: ["session-methods"],
    queryFn: () => ask(api.GET("/api/session/methods")),
    staleTime: Infinity,
  });
  const linked = useQuery({ queryKey: ["identities"], queryFn: () => ask(api.GET("/api/session/identities")) });
  if (!methods.data?.oidc && !linked.data?.items.length) return null;
  return (
    <SettingsCard
      title={t`Linked sign-ins`}
      description={t`Identity providers that you sign in with. A provider is linked when you first sign in with it, if it has your email address.`}
    >
      <DataTable
        caption={t`Linked sign-ins`}
        columns={columns()}
        rows={linked.data?.items}
        rowKey={(one) => one.id}
        error={linked.error}
        retry={() => void linked.refetch()}
        skeletonRows={1}
        empty={<EmptyState icon={IconLink} title={t`No linked sign-ins`} />}
      />
    </SettingsCard>
  );
}
