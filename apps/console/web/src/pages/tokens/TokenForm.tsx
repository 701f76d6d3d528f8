import { Button, Drawer, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { searchUsers } from "@/api/names";
import { isOperator, useIdentity } from "@/api/session";
import { RateLimitFields, QuotaFields } from "@/components/limits/fields";
import { applyProblem, FormError } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";

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
  return (
    <Drawer opened={opened} onClose={close} title={token ? `Edit ${token.name}` : "Create a token"} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      {opened && <TokenForm close={close} {...(token && { token })} {...(onCreated && { onCreated })} />}
    </Drawer>
  );
}

function TokenForm({ token, close, onCreated }: Omit<TokenDrawerProps, "opened">) {
  const identity = useIdentity();
  const operator = isOperator(identity);
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>();
  // The patch contains only differences from these values.
  const before = token ? valuesOf(token) : blank;
  const form = useForm({
    initialValues: before,
    validate: { ...rules, user: (user) => (operator && !user ? "Choose whose token it is." : null), expires: (iso) => (iso === before.expires ? null : rules.expires(iso)) },
  });
  const save = useMutation({
    mutationFn: async (values: typeof before) => {
      if (!token) return ask(api.POST("/api/tokens", { body: newToken(values) }));
      await ask(api.PATCH("/api/tokens/{id}", { params: { path: { id: token.id } }, body: tokenPatch(before, values) }));
      return undefined;
    },
    onSuccess: async (created) => {
      await client.invalidateQueries({ queryKey: ["tokens"] });
      if (token) notifications.show({ message: "The token was changed. Relays know within a second." });
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
        <TextInput label="Name" placeholder="Nightly batch" maxLength={200} data-autofocus withAsterisk {...form.getInputProps("name")} />
        {!token && identity.user.role !== "member" && (
          <RemoteSelect
            kind="users"
            label="Owner"
            description="Whose group, quota and limits hold for it."
            placeholder={operator ? "Search users of all tenants" : "Myself"}
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
          label="Addresses"
          description="Where calls may come from: addresses or networks. None: from everywhere."
          placeholder={form.getValues().addresses.length === 0 ? "203.0.113.7, 2001:db8::/32" : ""}
          splitChars={[",", " "]}
          acceptValueOnBlur
          clearable
          maxTags={1000}
          {...form.getInputProps("addresses")}
        />
        <QuotaFields form={form} about="The most that this token may spend." />
        <RateLimitFields form={form} />
        {!token && <Text size="sm" c="dimmed">The token&apos;s value is shown once, after this.</Text>}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={save.isPending}>{token ? "Save" : "Create token"}</Button>
        </Group>
      </Stack>
    </form>
  );
}
