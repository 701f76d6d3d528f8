import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { noPasskeys, supportsPasskeys } from "@/api/passkey";
import { applyProblem, FormError } from "@/components/form";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Moment } from "@/components/values";

import { AddPasskey } from "./AddPasskey";
import { passkeysQuery, refreshPasskeys } from "./factors";
import { SettingsCard } from "./SettingsCard";

type Passkey = Schema<"Passkey">;

/** Lists the user's passkeys and offers to add one. */
export function Passkeys() {
  const methods = useQuery({ queryKey: ["session-methods"], queryFn: () => ask(api.GET("/api/session/methods")), staleTime: Infinity });
  const passkeys = useQuery(passkeysQuery);
  const [adding, add] = useDisclosure();
  const [renamed, setRenamed] = useState<Passkey>();
  const possible = methods.data?.passkeys && supportsPasskeys();
  return (
    <SettingsCard
      title="Passkeys"
      description="A passkey signs you in by the lock of your device, without password and code. It cannot be guessed or phished."
      actions={
        possible && (
          <Button variant="default" leftSection={<IconFingerprint size={16} />} onClick={add.open}>
            Add a passkey
          </Button>
        )
      }
    >
      {methods.data && !methods.data.passkeys && <Alert color="gray">There are no passkeys here: the operator has not told the console its own address.</Alert>}
      {methods.data?.passkeys && !supportsPasskeys() && <Alert color="gray">{noPasskeys}</Alert>}
      {(possible || passkeys.data?.items.length !== 0) && (
        <DataTable
          caption="Passkeys and their use"
          columns={columns(setRenamed)}
          rows={passkeys.data?.items}
          rowKey={(passkey) => passkey.id}
          error={passkeys.error}
          retry={() => void passkeys.refetch()}
          skeletonRows={2}
          empty={<EmptyState icon={IconFingerprint} title="No passkeys yet" />}
        />
      )}
      <AddPasskey opened={adding} close={add.close} />
      <Modal opened={renamed !== undefined} onClose={() => setRenamed(undefined)} title="Rename the passkey">
        {renamed && <RenameForm passkey={renamed} close={() => setRenamed(undefined)} />}
      </Modal>
    </SettingsCard>
  );
}

const columns = (rename: (passkey: Passkey) => void): Column<Passkey>[] => [
  { header: "Name", cell: (passkey) => passkey.name },
  { header: "Added", width: 150, cell: (passkey) => <Moment at={passkey.created_at} /> },
  { header: "Last used", width: 150, cell: (passkey) => <Moment at={passkey.last_used} /> },
  {
    header: "Actions",
    width: 170,
    align: "right",
    cell: (passkey) => (
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <Button size="compact-sm" variant="default" onClick={() => rename(passkey)}>
          Rename
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => remove(passkey)}>
          Remove
        </Button>
      </Group>
    ),
  },
];

function remove({ id, name }: Passkey) {
  confirm({
    title: "Remove this passkey?",
    children: (
      <Text>
        <b>{name}</b> signs you in no longer. Delete it on the device too.
      </Text>
    ),
    confirm: "Remove",
    act: async () => {
      await ask(api.DELETE("/api/session/passkeys/{id}", { params: { path: { id } } }));
      await refreshPasskeys();
    },
  });
}

function RenameForm({ passkey, close }: { passkey: Passkey; close: () => void }) {
  const [error, setError] = useState<unknown>();
  const form = useForm({ initialValues: { name: passkey.name }, validate: { name: (name) => (name.trim() ? null : "Enter a name.") } });
  const rename = useMutation({
    mutationFn: (name: string) => ask(api.PATCH("/api/session/passkeys/{id}", { params: { path: { id: passkey.id } }, body: { name } })),
    onError: (failure) => setError(applyProblem(form, failure)),
    onSuccess: async () => {
      await refreshPasskeys();
      notifications.show({ message: "The passkey is renamed.", color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={form.onSubmit(({ name }) => rename.mutate(name.trim()))} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label="Name" maxLength={200} data-autofocus {...form.getInputProps("name")} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={rename.isPending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
