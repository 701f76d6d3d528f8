import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { refreshNames } from "@/api/names";
import { queryClient } from "@/api/query";
import { Modal } from "@/components/dialog";
import { amountFault, AmountInput, FormButtons, FormError, useSubmit } from "@/components/form";

import { outputCapLabel, outputCaps, quotaModes, slugFault, slugOf } from "./tenantForm";

type Mode = Schema<"Tenant">["quota_mode"];
type OutputCap = Schema<"Tenant">["output_cap"];

/** Creates a tenant with an initial grant. */
export function CreateTenant({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={t`Create a tenant`}>
      <CreateForm close={close} />
    </Modal>
  );
}

function CreateForm({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { name: "", slug: "", quota: "", quota_mode: "hard" as Mode, output_cap: "auto" as OutputCap },
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      slug: slugFault,
      quota: (quota) => amountFault(quota),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ name, slug, quota, quota_mode, output_cap }: typeof form.values) =>
      ask(
        api.POST("/api/operator/tenants", {
          body: { name: name.trim(), slug, quota_mode, output_cap, ...(quota.trim() && { quota: quota.trim() }) },
        }),
      ),
    done: async ({ id, name }) => {
      void refreshNames();
      await queryClient.invalidateQueries({ queryKey: ["tenants"] });
      notifications.show({ message: t`${name} created. Now invite its owner.`, color: "green" });
      close();
      await navigate({ to: "/operator/tenants/$id", params: { id } });
    },
  });
  const rename = (name: string) => {
    // The slug follows the name until the operator edits the slug.
    const follows = form.values.slug === slugOf(form.values.name);
    form.setFieldValue("name", name);
    if (follows) form.setFieldValue("slug", slugOf(name));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput
          label={t`Name`}
          maxLength={200}
          required
          data-autofocus
          {...form.getInputProps("name")}
          onChange={(event) => rename(event.currentTarget.value)}
        />
        <TextInput
          label={t`Slug`}
          description={t`The short name in files and scripts. You can't change it later.`}
          maxLength={60}
          required
          {...form.getInputProps("slug")}
        />
        <AmountInput
          label={t`Initial quota`}
          description={t`What the tenant can spend at first. You can grant more later.`}
          {...form.getInputProps("quota")}
        />
        <Select
          label={t`When the quota runs out during a stream`}
          allowDeselect={false}
          data={quotaModes()}
          {...form.getInputProps("quota_mode")}
        />
        <Select
          label={outputCapLabel()}
          description={t`For requests that set no maximum of output tokens.`}
          allowDeselect={false}
          data={outputCaps()}
          {...form.getInputProps("output_cap")}
        />
        <FormButtons cancel={close} pending={pending}>
          <Trans>Create tenant</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
