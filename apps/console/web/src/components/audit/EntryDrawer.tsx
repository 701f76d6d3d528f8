import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Collapse, Drawer, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Fragment, type ReactNode } from "react";

import { CodeBlock } from "@/components/CodeBlock";
import { DescriptionList } from "@/components/DescriptionList";
import { Copyable } from "@/components/values";
import { showDateTime } from "@/format/time";
import { timeZone } from "@/format/timeZone";

import { changesOf } from "./fields";
import type { AuditFilters } from "./filters";
import { sentenceOf } from "./sentences";
import { type Entry, named } from "./subject";

interface EntryDrawerProps {
  entry: Entry | undefined;
  close: () => void;
  /** Shows only the entries that match a filter. */
  only: (filters: AuditFilters) => void;
  /** Names the tenant of the entry, if that is not the user's own. */
  tenant?: ReactNode;
}

/** Shows one entry: what changed, from what to what, and the entry as the API has it on demand. */
export function EntryDrawer({ entry, close, only, tenant }: EntryDrawerProps) {
  return (
    <Drawer
      opened={entry !== undefined}
      onClose={close}
      title={<Trans>Audit log entry</Trans>}
      size="lg"
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {entry && (
        <Details
          key={entry.id}
          entry={entry}
          only={(filters) => {
            close();
            only(filters);
          }}
          tenant={tenant}
        />
      )}
    </Drawer>
  );
}

/** Returns an item of the description if there is something to show. */
const when = (known: boolean, label: string, value: ReactNode): [string, ReactNode][] =>
  known ? [[label, value]] : [];

function Details({ entry, only, tenant }: Omit<EntryDrawerProps, "entry" | "close"> & { entry: Entry }) {
  const [raw, { toggle }] = useDisclosure(false);
  const zone = timeZone();
  const at = showDateTime(entry.created_at);
  const { id, action, target, detail, before } = entry;
  return (
    <Stack>
      <Text fw={600} style={{ overflowWrap: "anywhere" }}>
        {sentenceOf(entry)}
      </Text>
      <ChangeTable entry={entry} />
      <DescriptionList
        items={[
          [t`Time`, t`${at} (${zone})`],
          [t`By`, entry.actor],
          ...(tenant ? [[t`Tenant`, tenant] as [string, ReactNode]] : []),
          ...when(target !== "" && named(entry, target) !== target, t`Resource`, named(entry, target)),
          ...when(target !== "", t`Resource ID`, <Copyable key="target" value={target} label={t`resource ID`} />),
          ...when(
            entry.address !== "",
            t`IP address`,
            <Copyable key="address" value={entry.address} label={t`IP address`} />,
          ),
          [
            t`Action`,
            <span key="action" className="mono">
              {action}
            </span>,
          ],
        ]}
      />
      <Group gap="xs">
        {target && (
          <Button size="xs" variant="default" onClick={() => only({ target })}>
            <Trans>All entries of this resource</Trans>
          </Button>
        )}
        {entry.actor && (
          <Button size="xs" variant="default" onClick={() => only({ actor: entry.actor })}>
            <Trans>All entries of this actor</Trans>
          </Button>
        )}
        <Button size="xs" variant="default" onClick={toggle} aria-expanded={raw}>
          {raw ? <Trans>Hide the stored entry</Trans> : <Trans>Show the stored entry</Trans>}
        </Button>
      </Group>
      <Collapse expanded={raw}>
        {raw && (
          <CodeBlock
            code={JSON.stringify({ id, action, target, detail, before }, null, 2)}
            label={t`the stored entry`}
            wrap
          />
        )}
      </Collapse>
    </Stack>
  );
}

/** Shows the changed fields, with their values before where the entry has any. */
function ChangeTable({ entry }: { entry: Entry }) {
  const changes = changesOf(entry);
  if (changes.length === 0) return null;
  const known = changes.some(({ before }) => before !== undefined);
  return (
    <Table layout="fixed" verticalSpacing={6} horizontalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="34%">
            <Trans>Field</Trans>
          </Table.Th>
          {known && (
            <Table.Th>
              <Trans>Before</Trans>
            </Table.Th>
          )}
          <Table.Th>{known ? <Trans>After</Trans> : <Trans>Value</Trans>}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map(({ field, label, before, after }) => (
          <Table.Tr key={field} style={{ overflowWrap: "anywhere", verticalAlign: "top" }}>
            <Table.Td c="dimmed">{label}</Table.Td>
            {known && <Table.Td>{before ?? <Fragment>…</Fragment>}</Table.Td>}
            <Table.Td>{after}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
