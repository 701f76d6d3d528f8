import { t } from "@lingui/core/macro";
import { Switch } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Requires a second factor of all users of the tenant, for owners. */
export function RequireFactor({ required }: { required: boolean }) {
  const change = useMutation({
    mutationFn: (require_second_factor: boolean) => ask(api.PATCH("/api/tenant", { body: { require_second_factor } })),
    onSuccess: async (tenant) => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ["tenant"] }),
        queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
      notifications.show({
        message: tenant.require_second_factor
          ? t`All members now need a second factor.`
          : t`A second factor is now optional for members.`,
        color: "green",
      });
    },
  });
  return (
    <SettingsCard
      title={t`Second factor`}
      description={t`Members who sign in with a password and have no second factor must set one up before they can do anything else.`}
    >
      <FormError error={change.error} />
      <Switch
        label={t`Require a second factor for all members`}
        checked={required}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </SettingsCard>
  );
}
