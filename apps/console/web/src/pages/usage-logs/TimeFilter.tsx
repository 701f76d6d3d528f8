import "@mantine/dates/styles.css";

import { Button, Divider, Popover, Stack, Text } from "@mantine/core";
import { DateTimePicker, type DateTimePickerProps } from "@mantine/dates";
import { useDisclosure } from "@mantine/hooks";
import { IconCalendar, IconChevronDown } from "@tabler/icons-react";
import dayjs from "dayjs";
import { useState } from "react";

import { spanNames, spans, type LogFilters } from "./filters";

type Time = Pick<LogFilters, "span" | "from" | "to">;

const short = (iso: string) => dayjs(iso).format("D MMM, HH:mm");

/** Describes the selected time. */
function timeName({ span, from, to }: Time): string {
  if (span) return spanNames[span];
  if (from && to) return `${short(from)} – ${short(to)}`;
  if (from) return `Since ${short(from)}`;
  return to ? `Until ${short(to)}` : "Any time";
}

/** Filters by time: a span that ends now, or custom moments. */
export function TimeFilter({ value, onChange }: { value: Time; onChange: (time: Time) => void }) {
  const [opened, { toggle, close, set }] = useDisclosure(false);
  const choose = (time: Time) => {
    onChange({ span: undefined, from: undefined, to: undefined, ...time });
    close();
  };
  const any = !value.span && !value.from && !value.to;
  return (
    <Popover opened={opened} onChange={set} position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" fw={400} justify="space-between" leftSection={<IconCalendar size={15} aria-hidden />} rightSection={<IconChevronDown size={14} aria-hidden />} onClick={toggle} aria-label={`Time: ${timeName(value)}`} w={{ base: "100%", xs: "auto" }}>
          {timeName(value)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown w={280} aria-label="Time">
        <Stack gap={2}>
          <Choice chosen={any} onClick={() => choose({})}>Any time</Choice>
          {spans.map((span) => (
            <Choice key={span} chosen={value.span === span} onClick={() => choose({ span })}>{spanNames[span]}</Choice>
          ))}
        </Stack>
        <Divider my="xs" />
        <Custom value={value} apply={choose} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ chosen, onClick, children }: { chosen: boolean; onClick: () => void; children: string }) {
  return (
    <Button size="xs" justify="flex-start" variant={chosen ? "light" : "subtle"} color={chosen ? undefined : "gray"} c={chosen ? undefined : "inherit"} fw={400} onClick={onClick} aria-pressed={chosen}>
      {children}
    </Button>
  );
}

const local = (iso: string | undefined) => (iso ? dayjs(iso).format("YYYY-MM-DD HH:mm:ss") : null);
const iso = (text: string | null) => (text ? dayjs(text).toISOString() : undefined);

function Custom({ value, apply }: { value: Time; apply: (time: Time) => void }) {
  const [from, setFrom] = useState(local(value.from));
  const [to, setTo] = useState(local(value.to));
  const empty = from !== null && to !== null && from >= to;
  const shared = { valueFormat: "D MMM YYYY, HH:mm", clearable: true, size: "xs", weekendDays: [], popoverProps: { withinPortal: false } } satisfies DateTimePickerProps;
  return (
    <Stack gap="xs">
      <DateTimePicker label="From" placeholder="The first one" value={from} onChange={setFrom} {...shared} />
      <DateTimePicker label="Until" placeholder="Now" value={to} onChange={setTo} {...shared} />
      {empty && <Text size="xs" c="var(--tollgate-bad)" role="alert">From must be before until.</Text>}
      <Button size="xs" disabled={empty || (!from && !to)} onClick={() => apply({ from: iso(from), to: iso(to) })}>Apply</Button>
    </Stack>
  );
}
