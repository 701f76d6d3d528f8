import { Modal, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useState } from "react";

import { api, ask } from "@/api/client";
import { searchTenants } from "@/api/names";
import { queryClient } from "@/api/query";
import { AmountInput, FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";
import { showUsd } from "@/format/money";

import { emptyMovement, movementFaults, type Movement, movementKinds } from "./movement";

/** Grants quota to a tenant, adjusts it, or transfers it to another tenant. */
export function MoveQuota({ opened, close, tenantId }: { opened: boolean; close: () => void; tenantId?: string }) {
  return (
    <Modal opened={opened} onClose={close} title="Move quota">
      <MoveForm close={close} {...(tenantId && { tenantId })} />
    </Modal>
  );
}

/** Sends the movement with an idempotency key, so that a repeated request has no effect. */
async function send({ kind, tenant_id, to_tenant_id, amount, reason }: Movement, key: string) {
  const params = { header: { "Idempotency-Key": key } };
  const text = { amount: amount.trim(), reason: reason.trim() };
  switch (kind) {
    case "grant":
      return ask(api.POST("/api/operator/grants", { params, body: { tenant_id, ...text } }));
    case "adjustment":
      return ask(api.POST("/api/operator/adjustments", { params, body: { tenant_id, ...text } }));
    case "transfer":
      return ask(api.POST("/api/operator/transfers", { params, body: { from_tenant_id: tenant_id, to_tenant_id, ...text } }));
  }
}

function MoveForm({ close, tenantId }: { close: () => void; tenantId?: string }) {
  // One key for each opened form: a retry after a lost answer must not move the quota twice.
  const [key] = useState(() => crypto.randomUUID());
  const form = useForm<Movement>({ initialValues: { ...emptyMovement, tenant_id: tenantId ?? "" }, validate: movementFaults });
  const { kind } = form.values;
  const { submit, pending, error } = useSubmit(form, {
    act: (movement: Movement) => send(movement, key),
    names: { from_tenant_id: "tenant_id" },
    done: async (_, movement) => {
      await Promise.all(["tenants", "grants"].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
      notifications.show({ message: `${showUsd(movement.amount)}: the ledger has it.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <SegmentedControl aria-label="Kind" fullWidth data={movementKinds.map(({ value, label }) => ({ value, label }))} {...form.getInputProps("kind")} />
        <Text size="sm" c="dimmed">
          {movementKinds.find(({ value }) => value === kind)?.meaning}
        </Text>
        {!tenantId && <TenantSelect label={kind === "transfer" ? "From" : "Tenant"} value={form.values.tenant_id} error={form.errors["tenant_id"]} onChange={(id) => form.setFieldValue("tenant_id", id)} />}
        {kind === "transfer" && <TenantSelect label="To" value={form.values.to_tenant_id} error={form.errors["to_tenant_id"]} onChange={(id) => form.setFieldValue("to_tenant_id", id)} />}
        <AmountInput label="Amount" required description={kind === "adjustment" ? "Negative takes back, such as -5." : undefined} {...form.getInputProps("amount")} />
        <Textarea label="Reason" description="Stands in the ledger, for the tenant to read too" required autosize minRows={2} maxLength={500} {...form.getInputProps("reason")} />
        <FormButtons cancel={close} pending={pending}>{movementKinds.find(({ value }) => value === kind)?.act}</FormButtons>
      </Stack>
    </form>
  );
}

function TenantSelect({ value, onChange, ...rest }: { label: string; value: string; error: ReactNode; onChange: (id: string) => void }) {
  return <RemoteSelect kind="tenants" search={searchTenants} placeholder="Search by name" required value={value || undefined} onChange={(id) => onChange(id ?? "")} {...rest} />;
}
