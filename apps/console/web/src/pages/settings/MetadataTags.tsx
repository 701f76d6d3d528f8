import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, TagsInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormError, useSubmit } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

const valid = /^[a-z0-9_-]{1,32}$/;

/** Edits which keys of a request's metadata are tags of the call, for owners. */
export function MetadataTags({ names }: { names: string[] }) {
  const form = useForm({
    initialValues: { metadata_tags: names },
    validate: {
      metadata_tags: (list) =>
        list.every((name) => valid.test(name))
          ? null
          : t`Each key must have 1 to 32 of the characters a-z, 0-9, _ and -.`,
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: { metadata_tags: string[] }) => ask(api.PATCH("/api/tenant", { body: values })),
    done: async () => {
      form.resetDirty();
      await queryClient.invalidateQueries({ queryKey: ["tenant"] });
      notifications.show({ message: t`Saved. New requests are tagged with these keys.`, color: "green" });
    },
  });
  return (
    <SettingsCard
      title={t`Tags from metadata`}
      description={t`Usage logs keep these keys of a request's metadata as tags, so that you can filter and group usage by them. Clients can also send tags as headers, x-tollgate-tag-NAME.`}
    >
      <form onSubmit={submit} noValidate>
        <FormError error={error} />
        <Group align="flex-end" gap="xs">
          <TagsInput
            label={t`Metadata keys`}
            placeholder={form.values.metadata_tags.length === 0 ? "team, feature" : ""} // not translated: keys
            splitChars={[",", " "]}
            acceptValueOnBlur
            maxTags={8}
            flex={1}
            maw={420}
            {...form.getInputProps("metadata_tags")}
          />{" "}
          {/* not translated: keys */}
          <Button type="submit" variant="default" loading={pending} disabled={!form.isDirty()}>
            <Trans>Save</Trans>
          </Button>
        </Group>
      </form>
    </SettingsCard>
  );
}
