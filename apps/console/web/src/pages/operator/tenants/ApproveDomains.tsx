import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormError } from "@/components/form";
import { ErrorState, LoadingState } from "@/components/states";
import { entriesOf } from "@/pages/settings/requiredClaims";

type Issuer = Schema<"TenantIssuer">;

/** Lets an operator approve the domains of a tenant's OpenID Connect issuer. */
export function ApproveDomains({ tenantId }: { tenantId: string }) {
  const query = useQuery({
    queryKey: ["tenants", "issuer", tenantId],
    queryFn: () => ask(api.GET("/api/operator/tenants/{id}/issuer", { params: { path: { id: tenantId } } })),
  });
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <LoadingState />;
  if (!query.data.issuer)
    return (
      <Text c="dimmed">
        <Trans>The tenant has not set up single sign-on.</Trans>
      </Text>
    );
  return <Domains key={query.data.updated_at} tenantId={tenantId} issuer={query.data} />;
}

function Domains({ tenantId, issuer }: { tenantId: string; issuer: Issuer }) {
  const { issuer: url, enforced, trust_email: trusted } = issuer;
  const claims = entriesOf(issuer.required_claims).join(", ");
  const [chosen, choose] = useState(issuer.domains.filter(({ approved }) => approved).map(({ domain }) => domain));
  const approve = useMutation({
    mutationFn: () =>
      ask(
        api.PATCH("/api/operator/tenants/{id}/issuer", {
          params: { path: { id: tenantId } },
          body: { approved_domains: chosen },
        }),
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tenants", "issuer", tenantId] });
      notifications.show({ message: t`Approved domains saved.`, color: "green" });
    },
  });
  return (
    <Stack>
      <FormError error={approve.error} />
      <Text>
        {enforced ? (
          <Trans>
            Members sign in through <b>{url}</b>. All members except owners must use it.
          </Trans>
        ) : (
          <Trans>
            Members sign in through <b>{url}</b>.
          </Trans>
        )}
      </Text>
      {claims !== "" && (
        <Text>
          <Trans>The identity provider must confirm one value of each required claim: {claims}.</Trans>
        </Text>
      )}
      {trusted && (
        <Text>
          <Trans>Addresses count as verified if the identity provider does not say whether they are.</Trans>
        </Text>
      )}
      <Checkbox.Group
        label={t`Approved domains`}
        description={t`The sign-in page sends people with email addresses of these domains to the identity provider. Approve only domains that belong to the tenant, never those of an email service.`}
        value={chosen}
        onChange={choose}
      >
        <Stack gap="xs" mt="xs">
          {issuer.domains.map(({ domain }) => (
            <Checkbox key={domain} value={domain} label={domain} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Group>
        <Button variant="default" loading={approve.isPending} onClick={() => approve.mutate()}>
          <Trans>Save approved domains</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
