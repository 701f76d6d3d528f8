import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";

import { api, ask } from "@/api/client";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";

import { type Destination, refreshAlerts } from "./queries";

interface EditProps {
  destination: Destination | undefined;
  close: () => void;
  /** Called with a new signing secret, if the user asked for one. */
  replaced: (secret: string) => void;
}

/** Changes the name of a destination and, of a webhook, its URL. */
export function EditDestination({ destination, close, replaced }: EditProps) {
  return (
    <Modal opened={destination !== undefined} onClose={close} title={t`Edit destination`}>
      {destination && <EditForm destination={destination} close={close} replaced={replaced} />}
    </Modal>
  );
}

interface Values {
  name: string;
  url: string;
  renew: boolean;
}

function EditForm({ destination, close, replaced }: EditProps & { destination: Destination }) {
  const { id, channel, target } = destination;
  const path = { id };
  const form = useForm<Values>({
    initialValues: { name: destination.name, url: "", renew: false },
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      url: (url) =>
        url.trim() === "" || /^https?:\/\/\S+$/.test(url.trim()) ? null : t`Enter a URL that begins with https://.`,
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: async ({ name, url, renew }: Values) => {
      await ask(
        api.PATCH("/api/alert-destinations/{id}", {
          params: { path },
          body: { name: name.trim(), ...(url.trim() && { url: url.trim() }) },
        }),
      );
      return renew
        ? (await ask(api.POST("/api/alert-destinations/{id}/secret", { params: { path } }))).secret
        : undefined;
    },
    done: async (secret) => {
      await refreshAlerts();
      close();
      if (secret) replaced(secret);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Name`} withAsterisk maxLength={200} data-autofocus {...form.getInputProps("name")} />
        {channel !== "mail" && (
          <TextInput
            label={t`New URL`}
            type="url"
            autoComplete="off"
            maxLength={2000}
            placeholder={`${target}/…`}
            description={t`Leave empty to keep the present URL. Alerts that wait go to the new one.`}
            {...form.getInputProps("url")}
          />
        )}
        {channel === "webhook" && (
          <Checkbox
            label={t`Replace the signing secret too`}
            description={t`The new secret is shown once. Without this, the receiver keeps its secret.`}
            {...form.getInputProps("renew", { type: "checkbox" })}
          />
        )}
        <FormButtons cancel={close} pending={pending} unchanged={!form.isDirty()}>
          <Trans>Save</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
