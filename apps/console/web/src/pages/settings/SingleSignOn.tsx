import { Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { DescriptionList } from "@/components/DescriptionList";
import { confirm } from "@/components/confirm";
import { FormError } from "@/components/form";
import { Copyable } from "@/components/values";

import { SettingsCard } from "./SettingsCard";

const EditIssuer = lazy(() => import("./EditIssuer"));

type Issuer = Schema<"TenantIssuer">;

function remove() {
  confirm({
    title: "Delete the single sign-on?",
    children: "Members who signed in through it must sign in again in another way. Accounts that it made need an invitation first.",
    confirm: "Delete",
    act: async () => {
      await ask(api.DELETE("/api/tenant/issuer"));
      await queryClient.invalidateQueries({ queryKey: ["tenant-issuer"] });
      notifications.show({ message: "The single sign-on is deleted.", color: "green" });
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
      title="Single sign-on"
      description="Members sign in through the OpenID Connect issuer of your organisation."
      actions={
        owner &&
        issuer && (
          <>
            {set && (
              <Button variant="subtle" color="red" onClick={remove}>
                Delete
              </Button>
            )}
            <Button variant="default" onClick={open}>
              {set ? "Edit" : "Set up"}
            </Button>
          </>
        )
      }
    >
      <FormError error={query.error} />
      {set && <Shown issuer={issuer} />}
      {editing && issuer && (
        <Suspense>
          <EditIssuer issuer={issuer} close={close} />
        </Suspense>
      )}
    </SettingsCard>
  );
}

function Shown({ issuer }: { issuer: Issuer }) {
  return (
    <DescriptionList
      items={[
        ["Issuer", issuer.issuer],
        ["Client id", issuer.client_id],
        [
          "Domains",
          <Group key="domains" gap="xs">
            {issuer.domains.map(({ domain, approved }) => (
              <Badge key={domain} variant="light" color={approved ? "green" : "gray"} tt="none">
                {domain}
                {approved ? "" : ", not approved"}
              </Badge>
            ))}
            {issuer.domains.some(({ approved }) => !approved) && (
              <Text size="sm" c="dimmed">
                The sign-in page finds approved domains. Ask the operator to approve the others.
              </Text>
            )}
          </Group>,
        ],
        ["Required", issuer.enforced ? "Of all members but owners" : "No"],
        ["New members", issuer.create_members ? `Made at the first sign-in, as ${issuer.default_role}` : "Must be invited"],
        ["Redirect URI", <Copyable key="redirect" value={issuer.redirect_uri} label="redirect URI" />],
        ["Link for members", <Copyable key="link" value={issuer.sign_in_url} label="sign-in link" />],
      ]}
    />
  );
}
