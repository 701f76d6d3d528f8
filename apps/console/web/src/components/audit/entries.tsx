import { Anchor, Drawer, Select, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { CodeBlock } from "@/components/CodeBlock";
import type { Column } from "@/components/DataTable";
import { DescriptionList } from "@/components/DescriptionList";
import { Copyable, Moment } from "@/components/values";

import { actionChoices } from "./actions";

export type Entry = Schema<"AuditEntry">;

/** Returns the columns of the audit log, with `more` after the actor. */
export const entryColumns = (open: (entry: Entry) => void, more: Column<Entry>[] = []): Column<Entry>[] => [
  { header: "Time", width: 150, cell: (entry) => <Moment at={entry.created_at} clock /> },
  {
    header: "Action",
    width: 210,
    cell: (entry) => (
      <Anchor component="button" type="button" c="inherit" className="mono" ta="left" onClick={() => open(entry)}>
        {entry.action}
      </Anchor>
    ),
  },
  { header: "By", width: 220, cell: (entry) => entry.actor },
  ...more,
  { header: "Address", width: 150, cell: (entry) => entry.address, secondary: "wide" },
  {
    header: "Changed",
    cell: (entry) => (
      <Text size="sm" c="dimmed" lineClamp={1}>
        {Object.keys(entry.detail).join(", ")}
      </Text>
    ),
    secondary: true,
  },
];

/** Shows one entry. `tenant` names its tenant, if that is not the user's own. */
export function EntryDrawer({ entry, close, tenant }: { entry: Entry | undefined; close: () => void; tenant?: ReactNode }) {
  return (
    <Drawer opened={entry !== undefined} onClose={close} title={entry?.action} size="md">
      {entry && (
        <Stack>
          <DescriptionList
            items={[
              ["Time", <Moment key="time" at={entry.created_at} clock />],
              ["By", entry.actor],
              ...(tenant ? [["Tenant", tenant] as [string, ReactNode]] : []),
              ["Address", entry.address && <Copyable key="address" value={entry.address} label="address" />],
              ["Target", entry.target && <Copyable key="target" value={entry.target} label="target" />],
              ["Entry", <Copyable key="id" value={entry.id} label="id" />],
            ]}
          />
          <CodeBlock code={JSON.stringify(entry.detail, null, 2)} label="changed fields" wrap />
        </Stack>
      )}
    </Drawer>
  );
}

/** Filters by action, or by all actions on one kind of object. */
export function ActionSelect({ of, value, onChange }: { of: "tenant" | "platform"; value: string | undefined; onChange: (action: string | undefined) => void }) {
  return (
    <Select aria-label="Action" placeholder="All actions" searchable clearable w={{ base: "100%", sm: 210 }} data={actionChoices(of)} value={value ?? null} onChange={(action) => onChange(action ?? undefined)} nothingFoundMessage="Nothing found" />
  );
}
