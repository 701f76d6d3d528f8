import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { isOperator, type Role, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { SegmentedControl } from "@/components/SegmentedControl";
import { Copyable, Moment } from "@/components/values";

import { IncludeQuota } from "./IncludeQuota";
import { MetadataTags } from "./MetadataTags";
import { IgnoredFields } from "./IgnoredFields";
import { RequireFactor } from "./RequireFactor";
import { SingleSignOn } from "./SingleSignOn";
import { Settings } from "./Settings";
import { SettingsCard } from "./SettingsCard";
import { TenantName } from "./TenantName";

const roleDescriptions: Record<Role, MessageDescriptor> = {
  owner: msg`Owner: manages everything in the organization, including owners`,
  admin: msg`Admin: manages the organization's tokens, members and usage`,
  member: msg`Member: manages own tokens and sees own usage`,
  operator: msg`Operator: runs the platform`,
};

/** Shows the account of the signed-in user. */
export function Profile() {
  const identity = useIdentity();
  const { user, tenant } = identity;
  const home = useQuery({
    queryKey: ["tenant"],
    queryFn: () => ask(api.GET("/api/tenant")),
    enabled: tenant !== undefined,
  });
  return (
    <Settings tab="/settings">
      <SettingsCard
        title={t`Profile`}
        description={
          isOperator(identity)
            ? t`Operators don't belong to a tenant.`
            : t`Your email address, role and group are set by the admins of your organization.`
        }
      >
        <DescriptionList
          items={[
            [t`Email address`, user.email],
            [t`Role`, i18n._(roleDescriptions[user.role])],
            tenant && [t`Organization`, tenant.name],
            tenant && [
              t`Short name`,
              <span key="slug" className="mono">
                {tenant.slug}
              </span>,
            ],
            home.data && [t`Group`, home.data.group],
            [t`User ID`, <Copyable key="id" value={user.id} label={t`user ID`} />],
            [t`Session expires`, <Moment key="end" at={identity.expires_at} />],
          ]}
        />
      </SettingsCard>
      {tenant && user.role === "owner" && <TenantName name={tenant.name} />}
      {home.data && user.role === "owner" && <MetadataTags names={home.data.metadata_tags} />}
      {home.data && user.role === "owner" && <RequireFactor required={home.data.require_second_factor} />}
      {home.data && user.role === "owner" && <IncludeQuota included={home.data.include_quota} />}
      {home.data && user.role === "owner" && <IgnoredFields policy={home.data.ignored_fields} />}
      {tenant && (user.role === "owner" || user.role === "admin") && <SingleSignOn owner={user.role === "owner"} />}
      <Appearance />
    </Settings>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SettingsCard
      title={t`Appearance`}
      description={t`For this browser only.`}
      actions={
        <SegmentedControl
          size="sm"
          aria-label={t`Appearance`}
          value={colorScheme}
          onChange={setColorScheme}
          data={[
            { value: "auto", label: t`Auto` },
            { value: "light", label: t`Light` },
            { value: "dark", label: t`Dark` },
          ]}
        />
      }
    />
  );
}
