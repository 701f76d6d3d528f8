import { t } from "@lingui/core/macro";
import { Anchor, Text } from "@mantine/core";

import type { Column } from "@/components/DataTable";
import { Moment } from "@/components/values";

import { restOf, sentenceOf } from "./sentences";
import type { Entry } from "./subject";

/** Returns the columns of the audit log, with `more` after the event. */
export const entryColumns = (open: (entry: Entry) => void, more: Column<Entry>[] = []): Column<Entry>[] => [
  {
    id: "time",
    header: t`Time`,
    width: 150,
    value: (entry) => entry.created_at,
    cell: (entry) => <Moment at={entry.created_at} clock />,
  },
  { id: "event", header: t`Event`, value: sentenceOf, cell: (entry) => <EventCell entry={entry} open={open} /> },
  ...more,
  {
    id: "ip_address",
    header: t`IP address`,
    width: 150,
    value: (entry) => entry.address,
    cell: (entry) => entry.address,
    secondary: "wide",
  },
  { id: "by", header: t`By`, optional: true, value: (entry) => entry.actor, cell: (entry) => entry.actor },
  {
    id: "action",
    header: t`Action`,
    optional: true,
    value: (entry) => entry.action,
    cell: (entry) => <span className="mono">{entry.action}</span>,
  },
  {
    id: "target",
    header: t`Resource ID`,
    optional: true,
    value: (entry) => entry.target,
    cell: (entry) => <span className="mono">{entry.target}</span>,
  },
  {
    id: "entry_id",
    header: t`Entry ID`,
    optional: true,
    value: (entry) => entry.id,
    cell: (entry) => <span className="mono">{entry.id}</span>,
  },
];

function EventCell({ entry, open }: { entry: Entry; open: (entry: Entry) => void }) {
  const rest = restOf(entry);
  return (
    <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
      <Anchor component="button" type="button" c="inherit" style={{ textAlign: "inherit" }} onClick={() => open(entry)}>
        {sentenceOf(entry)}
      </Anchor>
      {rest && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {rest}
        </Text>
      )}
    </div>
  );
}
