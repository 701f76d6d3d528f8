import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { MultiSelect, PasswordInput, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { changes } from "@/components/changes";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { channelsQuery } from "@/pages/operator/catalog/queries";

import { reread } from "./queries";
import { type Account, parseKeys, providerName, providers, showKeys } from "./reasons";

interface EditorProps {
  opened: boolean;
  close: () => void;
  /** The account to edit; undefined to create one. */
  account?: Account;
}

/** Creates or edits a billing account. */
export function AccountEditor({ opened, close, account }: EditorProps) {
  const name = account?.name;
  return (
    <Modal opened={opened} onClose={close} title={name === undefined ? t`Create a billing account` : t`Edit ${name}`}>
      <EditorForm key={account?.id} close={close} account={account} />
    </Modal>
  );
}

const credentials: Record<Exclude<Account["provider"], "csv">, MessageDescriptor> = {
  openai: msg`An admin key of the organization (sk-admin-…). It is stored encrypted, only workers can read it, and it is not shown again.`,
  anthropic: msg`An admin key of the organization (sk-ant-admin…). It is stored encrypted, only workers can read it, and it is not shown again.`,
  openrouter: msg`A management key. It is stored encrypted, only workers can read it, and it is not shown again.`,
};

interface Values extends Pick<Account, "name" | "provider" | "base_url" | "status" | "channels"> {
  keys: string;
  credential: string;
}

const valuesOf = (account: Account | undefined): Values => ({
  name: account?.name ?? "",
  provider: account?.provider ?? "openai",
  base_url: account?.base_url ?? "",
  status: account?.status ?? "enabled",
  channels: account?.channels ?? [],
  keys: showKeys(account?.keys ?? []),
  credential: "",
});

/** Returns the fields that can be changed after the account was created. */
const bodyOf = ({ name, base_url, status, channels, keys }: Values) => ({
  name: name.trim(),
  base_url,
  status,
  channels,
  keys: parseKeys(keys) ?? [],
});

function EditorForm({ close, account }: { close: () => void; account: Account | undefined }) {
  const channels = useQuery(channelsQuery);
  const [before] = useState(() => valuesOf(account));
  const form = useForm<Values>({
    initialValues: before,
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      keys: (keys) =>
        parseKeys(keys) ? null : t`Enter one key per line: its ID at the provider, a space and its mask.`,
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: Values) => {
      const { provider } = values;
      const credential = values.credential && { credential: values.credential };
      if (!account) {
        const { base_url, ...body } = bodyOf(values);
        return ask(
          api.POST("/api/operator/billing-accounts", {
            body: { ...body, provider, ...(base_url && { base_url }), ...credential },
          }),
        );
      }
      return ask(
        api.PATCH("/api/operator/billing-accounts/{id}", {
          params: { path: { id: account.id } },
          body: { ...changes(bodyOf(before), bodyOf(values)), ...credential },
        }),
      );
    },
    done: async ({ name }) => {
      await reread();
      notifications.show({
        message: t`Billing account ${name} saved. Its charges are compared within minutes.`,
        color: "green",
      });
      close();
    },
  });
  const { provider } = form.values;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Name`} maxLength={200} required data-autofocus {...form.getInputProps("name")} />
        <Select
          label={t`Provider`}
          description={t`Who reports the charges.`}
          allowDeselect={false}
          disabled={account !== undefined}
          data={providers.map((value) => ({ value, label: providerName(value) }))}
          {...form.getInputProps("provider")}
        />
        <MultiSelect
          label={t`Channels`}
          description={t`The channels whose requests this account pays for.`}
          searchable
          clearable
          data={(channels.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps("channels")}
        />
        {provider !== "csv" && (
          <PasswordInput
            label={t`Billing credential`}
            autoComplete="off"
            description={i18n._(credentials[provider])}
            placeholder={account?.has_credential ? t`Stored; leave empty to keep it` : undefined}
            {...form.getInputProps("credential")}
          />
        )}
        <Textarea
          label={t`API keys`}
          description={t`To compare each key, enter one per line: the ID of the key at the provider and the mask that the channel shows. Then only requests with these keys count as yours.`}
          placeholder="key_abc sk-…wxyz" // not translated: an id and a mask
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          {...form.getInputProps("keys")}
        />
        {provider !== "csv" && (
          <TextInput
            label={t`Base URL`}
            description={t`Leave empty for the public API. A change deletes the stored credential.`}
            placeholder="https://api.example.com"
            maxLength={2000}
            {...form.getInputProps("base_url")}
          />
        )}
        <Select
          label={t`Status`}
          allowDeselect={false}
          data={[
            { value: "enabled", label: t`Enabled` },
            { value: "disabled", label: t`Disabled (not fetched)` },
          ]}
          {...form.getInputProps("status")}
        />
        <FormButtons cancel={close} pending={pending}>
          {account ? t`Save` : t`Create billing account`}
        </FormButtons>
      </Stack>
    </form>
  );
}
