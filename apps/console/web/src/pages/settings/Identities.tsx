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
    title: "Unlink this sign-in?",
    children: (
      <Text>
        Signing in with <b>{issuer}</b> links it again, while your e-mail address is the same there.
      </Text>
    ),
    confirm: "Unlink",
    act: async () => {
      await ask(api.DELETE("/api/session/identities/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["identities"] });
    },
  });
}

const columns: Column<Linked>[] = [
  { header: "Issuer", cell: (linked) => linked.issuer },
  { header: "As", cell: (linked) => linked.email },
  { header: "Linked", width: 150, cell: (linked) => <Moment at={linked.created_at} />, secondary: true },
  { header: "Last used", width: 150, cell: (linked) => <Moment at={linked.last_used} /> },
  {
    header: "Actions",
    width: 110,
    align: "right",
    cell: (linked) => (
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => unlink(linked)}>
        Unlink
      </Button>
    ),
  },
];

/**
 * Lists the OpenID Connect identities that are linked to the signed-in user; nothing if there are none and no issuer
 * is configured.
 */
export function Identities() {
  const methods = useQuery({ queryKey: ["session-methods"], queryFn: () => ask(api.GET("/api/session/methods")), staleTime: Infinity });
  const linked = useQuery({ queryKey: ["identities"], queryFn: () => ask(api.GET("/api/session/identities")) });
  if (!methods.data?.oidc && !linked.data?.items.length) return null;
  return (
    <SettingsCard title="Linked sign-ins" description="Identity providers that sign you in. Signing in with one links it, where it knows your e-mail address.">
      <DataTable
        caption="Issuers that are linked"
        columns={columns}
        rows={linked.data?.items}
        rowKey={(one) => one.id}
        error={linked.error}
        retry={() => void linked.refetch()}
        skeletonRows={1}
        empty={<EmptyState icon={IconLink} title="Nothing is linked" />}
      />
    </SettingsCard>
  );
}
