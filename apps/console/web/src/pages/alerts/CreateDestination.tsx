import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";

import { api, ask } from "@/api/client";
import { searchOperators, searchUsers } from "@/api/names";
import { useIdentity } from "@/api/session";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";
import { language } from "@/locale/messages";

import { channels } from "./channels";
import { type Destination, refreshAlerts } from "./queries";

interface CreateProps {
  opened: boolean;
  close: () => void;
  operator: boolean;
  /** Called with the signing secret of a new webhook. */
  created: (secret: string) => void;
}

/** Creates a destination of alerts. */
export function CreateDestination({ opened, close, ...props }: CreateProps) {
  return (
    <Modal opened={opened} onClose={close} title={t`Create a destination`}>
      <CreateForm close={close} {...props} />
    </Modal>
  );
}

interface Values {
  channel: Destination["channel"];
  name: string;
  user_id: string;
  url: string;
}

function CreateForm({ close, operator, created }: Omit<CreateProps, "opened">) {
  const identity = useIdentity();
  const { user } = identity;
  const form = useForm<Values>({
    initialValues: { channel: "mail", name: "", user_id: user.id, url: "" },
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      url: (url, { channel }) =>
        channel === "mail" || /^https?:\/\/\S+$/.test(url.trim()) ? null : t`Enter a URL that begins with https://.`,
    },
  });
  const { channel, user_id } = form.values;
  const { submit, pending, error } = useSubmit(form, {
    act: ({ name, url }: Values) =>
      ask(
        api.POST("/api/alert-destinations", {
          body: {
            channel,
            name: name.trim(),
            language: language(),
            ...(channel === "mail" ? { user_id } : { url: url.trim() }),
          },
        }),
      ),
    done: async ({ secret }) => {
      await refreshAlerts();
      close();
      if (secret) created(secret);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <Select
          label={t`Kind`}
          allowDeselect={false}
          data={(Object.keys(channels) as Values["channel"][]).map((value) => ({
            value,
            label: i18n._(channels[value]),
          }))}
          {...form.getInputProps("channel")}
        />
        <TextInput label={t`Name`} withAsterisk maxLength={200} data-autofocus {...form.getInputProps("name")} />
        {channel === "mail" && (
          <RemoteSelect
            kind={operator ? "alert-operators" : "alert-members"}
            label={operator ? t`Operator` : t`Member`}
            description={t`The person's address must be verified. For several people, create a destination for each.`}
            search={operator ? searchOperators : (text) => searchUsers(identity, text)}
            value={user_id || undefined}
            onChange={(id) => form.setFieldValue("user_id", id ?? user.id)}
            error={form.errors["user_id"]}
          />
        )}
        {channel !== "mail" && (
          <TextInput
            label={t`URL`}
            withAsterisk
            type="url"
            autoComplete="off"
            maxLength={2000}
            description={t`It is stored encrypted and not shown again. Its address must be public.`}
            {...form.getInputProps("url")}
          />
        )}
        <FormButtons cancel={close} pending={pending}>
          <Trans>Create</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
