import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Stack, Switch, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { Drawer } from "@/components/dialog";
import { patchOf, valuesOf, type MemberValues } from "@/components/members/memberForm";
import { RoleSelect } from "@/components/members/RoleSelect";
import { limitFaults, limitNames } from "@/components/limits/limits";
import { LimitFields } from "@/components/limits/fields";
import { FormButtons, FormError, useSubmit } from "@/components/form";

import { GroupSelect } from "./groups";

type User = Schema<"User">;

interface Values extends MemberValues {
  group_id: string;
  enabled: boolean;
}

/** Edits a user: role, group, limits and whether the user may sign in. */
export function EditUser({ user, close }: { user: User | undefined; close: () => void }) {
  return (
    <Drawer opened={user !== undefined} onClose={close} title={user?.email} size="lg">
      {user && <EditForm key={user.id} user={user} close={close} />}
    </Drawer>
  );
}

/** Returns the PATCH body with the values that changed. Operators have no role or limits to change. */
const bodyOf = (user: User, before: Values, values: Values): Schema<"UserPatch"> => ({
  ...(user.role !== "operator" && patchOf(before, values)),
  ...(values.group_id !== before.group_id && { group_id: values.group_id }),
  ...(values.enabled !== before.enabled && { status: values.enabled ? "enabled" : "disabled" }),
});

function EditForm({ user, close }: { user: User; close: () => void }) {
  const { email } = user;
  const self = useIdentity().user.id === user.id;
  const operator = user.role === "operator";
  const [before] = useState<Values>(() => ({
    ...valuesOf(user),
    group_id: user.group_id ?? "",
    enabled: user.status === "enabled",
  }));
  const form = useForm<Values>({ initialValues: before, validate: limitFaults });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: Values) =>
      ask(
        api.PATCH("/api/operator/users/{id}", {
          params: { path: { id: user.id } },
          body: bodyOf(user, before, values),
        }),
      ),
    names: { ...limitNames, status: "enabled" },
    done: async () => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      notifications.show({ message: t`Changes to ${email} saved.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        {operator ? (
          <Text c="dimmed">
            <Trans>Operators run the platform. They don't belong to a tenant and have no quota.</Trans>
          </Text>
        ) : (
          <>
            <RoleSelect form={form} own="owner" />
            <GroupSelect allowDeselect={false} {...form.getInputProps("group_id")} />
            <LimitFields form={form} />
          </>
        )}
        {!self && (
          <Switch
            label={t`Enabled`}
            description={t`A disabled user is signed out at once, and all of the user's tokens stop working.`}
            {...form.getInputProps("enabled", { type: "checkbox" })}
          />
        )}
        {before.enabled && !form.values.enabled && (
          <Alert color="red">
            <Trans>{email} is signed out as soon as you save.</Trans>
          </Alert>
        )}
        <FormButtons cancel={close} pending={pending} unchanged={!form.isDirty()}>
          <Trans>Save</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
