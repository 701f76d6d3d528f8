import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { noPasskeys, supportsPasskeys } from "@/api/passkey";
import { Modal } from "@/components/dialog";
import { applyProblem, FormError } from "@/components/form";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { useUnsaved } from "@/components/unsaved";
import { Moment } from "@/components/values";

import { AddPasskey } from "./AddPasskey";
import { passkeysQuery, refreshPasskeys } from "./factors";
import { SettingsCard } from "./SettingsCard";

type Passkey = Schema<"Passkey">;

/** Lists the user's passkeys and offers to add one. */
export function Passkeys() {
  const methods = useQuery({
    queryKey: ["session-methods"],
    queryFn: () => ask(api.GET("/api/session/methods")),
    staleTime: Infinity,
  });
  const passkeys = useQuery(passkeysQuery);
  const [adding, add] = useDisclosure();
  const [renamed, setRenamed] = useState<Passkey>();
  const possible = methods.data?.passkeys && supportsPasskeys();
  return (
    <SettingsCard
      title={t`Passkeys`}
      description={t`A passkey signs you in with your device's screen lock, without a password or a code. It can't be guessed or phished.`}
      actions={
        possible && (
          <Button variant="default" leftSection={<IconFingerprint size={16} />} onClick={add.open}>
            <Trans>Add a passkey</Trans>
          </Button>
        )
      }
    >
      {methods.data && !methods.data.passkeys && (
        <Alert color="gray">
          <Trans>Passkeys are not available here: the operator has not configured the console's address.</Trans>
        </Alert>
      )}
      {methods.data?.passkeys && !supportsPasskeys() && <Alert color="gray">{noPasskeys()}</Alert>}
      {(possible || passkeys.data?.items.length !== 0) && (
        <DataTable
          caption={t`Passkeys`}
          columns={columns(setRenamed)}
          rows={passkeys.data?.items}
          rowKey={(passkey) => passkey.id}
          error={passkeys.error}
          retry={() => void passkeys.refetch()}
          skeletonRows={2}
          empty={<EmptyState icon={IconFingerprint} title={t`No passkeys yet`} />}
        />
      )}
      <AddPasskey opened={adding} close={add.close} />
      <Modal opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title={t`Rename passkey`}>
        {renamed && <RenameForm passkey={renamed} close={() => setRenamed(undefined)} />}
      </Modal>
    </SettingsCard>
  );
}

const columns = (rename: (passkey: Passkey) => void): Column<Passkey>[] => [
  { id: "name", header: t`Name`, cell: (passkey) => passkey.name },
  { id: "added", header: t`Added`, width: 150, cell: (passkey) => <Moment at={passkey.created_at} /> },
  { id: "last_used", header: t`Last used`, width: 150, cell: (passkey) => <Moment at={passkey.last_used} /> },
  {
    id: "actions",
    actions: true,
    header: t`Actions`,
    width: 170,
    align: "right",
    cell: (passkey) => (
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <Button size="compact-sm" variant="default" onClick={() => rename(passkey)}>
          <Trans>Rename</Trans>
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => remove(passkey)}>
          <Trans>Remove</Trans>
        </Button>
      </Group>
    ),
  },
];

function remove({ id, name }: Passkey) {
  confirm({
    title: t`Remove this passkey?`,
    children: (
      <Text>
        <Trans>
          You can no longer sign in with <b>{name}</b>. Delete it on the device too.
        </Trans>
      </Text>
    ),
    confirm: t`Remove`,
    act: async () => {
      await ask(api.DELETE("/api/session/passkeys/{id}", { params: { path: { id } } }));
      await refreshPasskeys();
    },
  });
}

function RenameForm({ passkey, close }: { passkey: Passkey; close: () => void }) {
  const [error, setError] = useState<unknown>();
  const form = useForm({
    initialValues: { name: passkey.name },
    validate: { name: (name) => (name.trim() ? null : t`Enter a name.`) },
  });
  useUnsaved(form);
  const rename = useMutation({
    mutationFn: (name: string) =>
      ask(api.PATCH("/api/session/passkeys/{id}", { params: { path: { id: passkey.id } }, body: { name } })),
    onError: (failure) => setError(applyProblem(form, failure)),
    onSuccess: async () => {
      await refreshPasskeys();
      notifications.show({ message: t`Passkey renamed.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ name }) => rename.mutate(name.trim()))} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Name`} withAsterisk maxLength={200} data-autofocus {...form.getInputProps("name")} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={rename.isPending}>
            <Trans>Rename</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
