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
      await Promise.all([queryClient.invalidateQueries({ queryKey: ["tenant"] }), queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })]);
      notifications.show({ message: tenant.require_second_factor ? "All members need a second factor now." : "A second factor is up to each member now.", color: "green" });
    },
  });
  return (
    <SettingsCard title="Second factor" description="Members who sign in with a password and have no second factor can only set one up, under Settings, Security.">
      <FormError error={change.error} />
      <Switch label="Require a second factor of all members" checked={required} disabled={change.isPending} onChange={(event) => change.mutate(event.currentTarget.checked)} />
    </SettingsCard>
  );
}
