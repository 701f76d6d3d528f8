import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { Copyable, Moment } from "@/components/values";

import { RequireFactor } from "./RequireFactor";
import { SingleSignOn } from "./SingleSignOn";
import { Settings } from "./Settings";
import { SettingsCard } from "./SettingsCard";
import { TenantName } from "./TenantName";

const roleDescriptions = {
  owner: "Owner: manages everything of the organisation, owners too",
  admin: "Admin: manages tokens, members and usage of the organisation",
  member: "Member: manages own tokens and sees own usage",
  operator: "Operator: runs the platform",
} as const;

/** Shows the account of the signed-in user. */
export function Profile() {
  const identity = useIdentity();
  const { user, tenant } = identity;
  const home = useQuery({ queryKey: ["tenant"], queryFn: () => ask(api.GET("/api/tenant")), enabled: tenant !== undefined });
  return (
    <Settings tab="/settings">
      <SettingsCard title="Profile" description={isOperator(identity) ? "Operators belong to no tenant." : "Your address, role and group are set by those who manage your organisation."}>
        <DescriptionList
          items={[
            ["E-mail address", user.email],
            ["Role", roleDescriptions[user.role]],
            tenant && ["Tenant", tenant.name],
            tenant && ["Short name", <span key="slug" className="mono">{tenant.slug}</span>],
            home.data && ["Group", home.data.group],
            ["User id", <Copyable key="id" value={user.id} label="user id" />],
            ["This session ends", <Moment key="end" at={identity.expires_at} />],
          ]}
        />
      </SettingsCard>
      {tenant && user.role === "owner" && <TenantName name={tenant.name} />}
      {home.data && user.role === "owner" && <RequireFactor required={home.data.require_second_factor} />}
      {tenant && (user.role === "owner" || user.role === "admin") && <SingleSignOn owner={user.role === "owner"} />}
      <Appearance />
    </Settings>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SettingsCard
      title="Appearance"
      description="Of this browser."
      actions={
        <SegmentedControl
          size="sm"
          aria-label="Appearance"
          value={colorScheme}
          onChange={(value) => setColorScheme(value === "light" || value === "dark" ? value : "auto")}
          data={[
            { value: "auto", label: "As the system" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
      }
    />
  );
}
