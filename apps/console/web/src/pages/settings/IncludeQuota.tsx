import { t } from "@lingui/core/macro";
import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Adds the quota that was deducted to the usage of every answer of the tenant's calls, for owners. */
export function IncludeQuota({ included }: { included: boolean }) {
  const change = useMutation({
    mutationFn: (include_quota: boolean) => ask(api.PATCH("/api/tenant", { body: { include_quota } })),
    onSuccess: async (tenant) => {
      await queryClient.invalidateQueries({ queryKey: ["tenant"] });
      notifications.show({
        message: tenant.include_quota ? t`Responses now show the quota.` : t`Responses no longer show the quota.`,
        color: "green",
      });
    },
  });
  return (
    <SettingsCard
      title={t`Quota in responses`}
      description={t`Adds usage.quota, the amount deducted in USD, to every response. Streams then have a usage object even if the request does not ask for one.`}
    >
      <FormError error={change.error} />
      <Switch
        label={t`Show the quota in all responses`}
        checked={included}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </SettingsCard>
  );
}
