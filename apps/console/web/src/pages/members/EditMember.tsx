import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Stack } from "@mantine/core";
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

type User = Schema<"User">;

/** Edits the role and the limits of a member. */
export function EditMember({ member, close }: { member: User | undefined; close: () => void }) {
  return (
    <Drawer opened={member !== undefined} onClose={close} title={member?.email} size="lg">
      {member && <EditForm key={member.id} member={member} close={close} />}
    </Drawer>
  );
}

function EditForm({ member, close }: { member: User; close: () => void }) {
  const { user } = useIdentity();
  const { email } = member;
  const [before] = useState(() => valuesOf(member));
  const form = useForm<MemberValues>({ initialValues: before, validate: limitFaults });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: MemberValues) =>
      ask(api.PATCH("/api/members/{id}", { params: { path: { id: member.id } }, body: patchOf(before, values) })),
    names: limitNames,
    done: async () => {
      await queryClient.invalidateQueries({ queryKey: ["members"] });
      notifications.show({ message: t`Changes to ${email} saved.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <RoleSelect form={form} own={user.role} />
        <LimitFields form={form} />
        <FormButtons cancel={close} pending={pending} unchanged={!form.isDirty()}>
          <Trans>Save</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
