import { t } from "@lingui/core/macro";
import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Decides about calls with optional tools that no channel has, for owners. */
export function OptionalTools({ policy }: { policy: Schema<"OwnTenant">["optional_tools"] }) {
  const change = useMutation({
    mutationFn: (refuse: boolean) => ask(api.PATCH("/api/tenant", { body: { optional_tools: refuse ? "refuse" : "leave_out" } })),
    onSuccess: async (tenant) => {
      await queryClient.invalidateQueries({ queryKey: ["tenant"] });
      notifications.show({ message: tenant.optional_tools === "refuse" ? t`Such requests are now refused.` : t`Such tools are now left out.`, color: "green" });
    },
  });
  return (
    <SettingsCard
      title={t`Optional tools`}
      description={t`Tools that the provider runs, such as web_search, are left out of a request if they are optional and no channel has them. The header x-tollgate-left-out and the usage log name them.`}
    >
      <FormError error={change.error} />
      <Switch label={t`Refuse such requests instead`} checked={policy === "refuse"} disabled={change.isPending} onChange={(event) => change.mutate(event.currentTarget.checked)} />
    </SettingsCard>
  );
}
