import { t } from "@lingui/core/macro";
import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Decides about calls with fields that the API of the provider does not have, for owners. */
export function IgnoredFields({ policy }: { policy: Schema<"OwnTenant">["ignored_fields"] }) {
  const change = useMutation({
    mutationFn: (refuse: boolean) =>
      ask(api.PATCH("/api/tenant", { body: { ignored_fields: refuse ? "refuse" : "report" } })),
    onSuccess: async (tenant) => {
      await queryClient.invalidateQueries({ queryKey: ["tenant"] });
      notifications.show({
        message:
          tenant.ignored_fields === "refuse" ? t`Such requests are now refused.` : t`Such fields are now ignored.`,
        color: "green",
      });
    },
  });
  return (
    <SettingsCard
      title={t`Unsupported fields`}
      description={t`Fields that only restrict the response or give a hint, such as parallel_tool_calls, and optional tools of the provider, such as web_search, are ignored if the provider does not support them. The header x-tollgate-ignored-fields and the usage log list them.`}
    >
      <FormError error={change.error} />
      <Switch
        label={t`Refuse such requests instead`}
        checked={policy === "refuse"}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </SettingsCard>
  );
}
