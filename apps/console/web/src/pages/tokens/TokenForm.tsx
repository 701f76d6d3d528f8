import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { refreshNames, searchUsers } from "@/api/names";
import { isOperator, useIdentity } from "@/api/session";
import { Drawer } from "@/components/dialog";
import { RateLimitFields, QuotaFields } from "@/components/limits/fields";
import { applyProblem, FormError } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";
import { useUnsaved } from "@/components/unsaved";

import { ExpiryField } from "./ExpiryField";
import { blank, fieldNames, newToken, rules, tokenPatch, valuesOf } from "./form";
import { ModelsField } from "./ModelsField";

type Token = Schema<"Token">;

interface TokenDrawerProps {
  opened: boolean;
  close: () => void;
  /** The token to edit; absent to create a token. */
  token?: Token;
  onCreated?: (created: Schema<"CreatedToken">) => void;
}

/** Shows the drawer that creates or edits a token. */
export function TokenDrawer({ opened, close, token, onCreated }: TokenDrawerProps) {
  const name = token?.name;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      title={name ? t`Edit ${name}` : t`Create a token`}
      size="lg"
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {opened && (
        <TokenForm key={token?.id} close={close} {...(token && { token })} {...(onCreated && { onCreated })} />
      )}
    </Drawer>
  );
}

function TokenForm({ token, close, onCreated }: Omit<TokenDrawerProps, "opened">) {
  const identity = useIdentity();
  const operator = isOperator(identity);
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>();
  // The patch contains only differences from these values, with which the form was opened.
  const [before] = useState(() => (token ? valuesOf(token) : blank));
  const form = useForm({
    initialValues: before,
    validate: {
      ...rules,
      user: (user) => (operator && !user ? t`Choose the owner.` : null),
      expires: (iso) => (iso === before.expires ? null : rules.expires(iso)),
    },
  });
  useUnsaved(form);
  const save = useMutation({
    mutationFn: async (values: typeof before) => {
      if (!token) return ask(api.POST("/api/tokens", { body: newToken(values) }));
      await ask(
        api.PATCH("/api/tokens/{id}", { params: { path: { id: token.id } }, body: tokenPatch(before, values) }),
      );
      return undefined;
    },
    onSuccess: async (created) => {
      void refreshNames();
      await client.invalidateQueries({ queryKey: ["tokens"] });
      if (token) notifications.show({ message: t`Token saved.` });
      close();
      if (created) onCreated?.(created);
    },
  });
  const submit = form.onSubmit((values) => {
    setFault(undefined);
    save.mutate(values, { onError: (error) => setFault(applyProblem(form, error, fieldNames)) });
  });
  const { user } = form.getValues();
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={fault} />
        <TextInput
          label={t`Name`}
          placeholder={t`e.g. nightly batch`}
          maxLength={200}
          data-autofocus
          withAsterisk
          {...form.getInputProps("name")}
        />
        {!token && identity.user.role !== "member" && (
          <RemoteSelect
            kind="users"
            label={t`Owner`}
            description={t`The token uses this user's group, quota and limits.`}
            placeholder={operator ? t`Search users of all tenants` : t`Myself`}
            withAsterisk={operator}
            search={(text) => searchUsers(identity, text)}
            value={user || undefined}
            onChange={(id) => form.setFieldValue("user", id ?? "")}
            error={form.errors["user"]}
          />
        )}
        <ModelsField user={user} unasked={operator && !user} {...form.getInputProps("models")} />
        <ExpiryField {...form.getInputProps("expires")} />
        <TagsInput
          label={t`Allowed IPs`}
          description={t`IP addresses or networks. Leave empty to allow any.`}
          placeholder={form.getValues().addresses.length === 0 ? "203.0.113.7, 2001:db8::/32" : ""} // not translated: addresses
          splitChars={[",", " "]}
          acceptValueOnBlur
          clearable
          maxTags={1000}
          {...form.getInputProps("addresses")}
        />
        <QuotaFields form={form} about={t`The most that this token can spend.`} />
        <RateLimitFields form={form} />
        {!token && (
          <Text size="sm" c="dimmed">
            <Trans>The token is shown once, after you create it.</Trans>
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={save.isPending}>
            {token ? t`Save` : t`Create token`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
