import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { DescriptionList } from "@/components/DescriptionList";
import { confirm } from "@/components/confirm";
import { lazyPart } from "@/components/lazyPart";
import { FormError } from "@/components/form";
import { Copyable } from "@/components/values";

import { entriesOf } from "./requiredClaims";
import { SettingsCard } from "./SettingsCard";

const EditIssuer = lazyPart(() => import("./EditIssuer"));

type Issuer = Schema<"TenantIssuer">;

function remove() {
  confirm({
    title: t`Delete single sign-on?`,
    children: t`Members who signed in with it must sign in again another way. Accounts that it created need an invitation first.`,
    confirm: t`Delete`,
    act: async () => {
      await ask(api.DELETE("/api/tenant/issuer"));
      await queryClient.invalidateQueries({ queryKey: ["tenant-issuer"] });
      notifications.show({ message: t`Single sign-on deleted.`, color: "green" });
    },
  });
}

/** Shows the OpenID Connect issuer of the tenant, and lets owners change it. */
export function SingleSignOn({ owner }: { owner: boolean }) {
  const [editing, { open, close }] = useDisclosure();
  const query = useQuery({ queryKey: ["tenant-issuer"], queryFn: () => ask(api.GET("/api/tenant/issuer")) });
  const issuer = query.data;
  const set = issuer !== undefined && issuer.issuer !== "";
  if (!owner && !set) return null;
  return (
    <SettingsCard
      title={t`Single sign-on`}
      description={t`Members sign in with your organization's identity provider (OpenID Connect).`}
      actions={
        owner &&
        issuer && (
          <>
            {set && (
              <Button variant="subtle" color="red" onClick={remove}>
                <Trans>Delete</Trans>
              </Button>
            )}
            <Button variant="default" onClick={open}>
              {set ? <Trans>Edit</Trans> : <Trans>Set up</Trans>}
            </Button>
          </>
        )
      }
    >
      <FormError error={query.error} />
      {set && <Shown issuer={issuer} />}
      {editing && issuer && <EditIssuer issuer={issuer} close={close} failed={close} />}
    </SettingsCard>
  );
}

/** Says how the tenant gets new members. */
function newMembers({ create_members: created, default_role: role }: Issuer): string {
  if (!created) return t`Must be invited`;
  return role === "admin" ? t`Created as admins at their first sign-in` : t`Created as members at their first sign-in`;
}

function Shown({ issuer }: { issuer: Issuer }) {
  return (
    <DescriptionList
      items={[
        [t`Issuer URL`, issuer.issuer],
        [t`Client ID`, issuer.client_id],
        [
          t`Domains`,
          <Group key="domains" gap="xs">
            {issuer.domains.map(({ domain, approved }) => (
              <Badge key={domain} variant="light" color={approved ? "green" : "gray"} tt="none">
                {approved ? domain : t`${domain}, not approved`}
              </Badge>
            ))}
            {issuer.domains.some(({ approved }) => !approved) && (
              <Text size="sm" c="dimmed">
                <Trans>
                  The sign-in page recognizes only approved domains. Ask the operator to approve the others.
                </Trans>
              </Text>
            )}
          </Group>,
        ],
        [t`Required claims`, entriesOf(issuer.required_claims).join(", ") || t`None`],
        [t`Addresses without email_verified`, issuer.trust_email ? t`Trusted` : t`Refused`],
        [t`Required for`, issuer.enforced ? t`All members except owners` : t`No one`],
        [t`New members`, newMembers(issuer)],
        [t`Redirect URI`, <Copyable key="redirect" value={issuer.redirect_uri} label={t`redirect URI`} />],
        [t`Sign-in link for members`, <Copyable key="link" value={issuer.sign_in_url} label={t`sign-in link`} />],
      ]}
    />
  );
}
