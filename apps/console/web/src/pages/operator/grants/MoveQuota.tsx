import { t } from "@lingui/core/macro";
import { Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useRef } from "react";

import { api, ask } from "@/api/client";
import { searchTenants } from "@/api/names";
import { queryClient } from "@/api/query";
import { Modal } from "@/components/dialog";
import { AmountInput, FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SegmentedControl } from "@/components/SegmentedControl";
import { showUsd } from "@/format/money";

import { emptyMovement, keyed, movementFaults, type Movement, movementKinds, type SentMovement } from "./movement";

/** Grants quota to a tenant, adjusts it, or transfers it to another tenant. */
export function MoveQuota({ opened, close, tenantId }: { opened: boolean; close: () => void; tenantId?: string }) {
  return (
    <Modal opened={opened} onClose={close} title={t`Move quota`}>
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
      return ask(
        api.POST("/api/operator/transfers", { params, body: { from_tenant_id: tenant_id, to_tenant_id, ...text } }),
      );
  }
}

/** Says which movement the ledger now has. */
function recorded({ kind, amount: moved }: Movement): string {
  const amount = showUsd(moved.trim());
  switch (kind) {
    case "grant":
      return t`${amount} granted.`;
    case "adjustment":
      return t`Quota adjusted by ${amount}.`;
    case "transfer":
      return t`${amount} transferred.`;
  }
}

function MoveForm({ close, tenantId }: { close: () => void; tenantId?: string }) {
  const sent = useRef<SentMovement>(undefined);
  const form = useForm<Movement>({
    initialValues: { ...emptyMovement, tenant_id: tenantId ?? "" },
    validate: movementFaults,
  });
  const { kind } = form.values;
  const kinds = movementKinds();
  const chosen = kinds.find(({ value }) => value === kind);
  const { submit, pending, error } = useSubmit(form, {
    act: (movement: Movement) => {
      sent.current = keyed(movement, sent.current);
      return send(movement, sent.current.key);
    },
    names: { from_tenant_id: "tenant_id" },
    done: async (_, movement) => {
      await Promise.all(["tenants", "grants"].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
      notifications.show({ message: recorded(movement), color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <SegmentedControl
          aria-label={t`Kind`}
          fullWidth
          data={kinds.map(({ value, label }) => ({ value, label }))}
          {...form.getInputProps("kind")}
        />
        <Text size="sm" c="dimmed">
          {chosen?.meaning}
        </Text>
        {!tenantId && (
          <TenantSelect
            label={kind === "transfer" ? t`From tenant` : t`Tenant`}
            value={form.values.tenant_id}
            error={form.errors["tenant_id"]}
            onChange={(id) => form.setFieldValue("tenant_id", id)}
          />
        )}
        {kind === "transfer" && (
          <TenantSelect
            label={t`To tenant`}
            value={form.values.to_tenant_id}
            error={form.errors["to_tenant_id"]}
            onChange={(id) => form.setFieldValue("to_tenant_id", id)}
          />
        )}
        <AmountInput
          label={t`Amount`}
          required
          description={kind === "adjustment" ? t`Enter a negative amount, such as -5, to take quota back.` : undefined}
          {...form.getInputProps("amount")}
        />
        <Textarea
          label={t`Reason`}
          description={t`Shown in the ledger, which the tenant can also read`}
          required
          autosize
          minRows={2}
          maxLength={500}
          {...form.getInputProps("reason")}
        />
        <FormButtons cancel={close} pending={pending}>
          {chosen?.label}
        </FormButtons>
      </Stack>
    </form>
  );
}

function TenantSelect({
  value,
  onChange,
  ...rest
}: {
  label: string;
  value: string;
  error: ReactNode;
  onChange: (id: string) => void;
}) {
  return (
    <RemoteSelect
      kind="tenants"
      search={searchTenants}
      placeholder={t`Search by name`}
      required
      value={value || undefined}
      onChange={(id) => onChange(id ?? "")}
      {...rest}
    />
  );
}
