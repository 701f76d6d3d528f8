import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Divider, Popover, Stack, Text } from "@mantine/core";
import type { DateTimePickerProps } from "@mantine/dates";
import { useDisclosure } from "@mantine/hooks";
import { IconCalendar, IconChevronDown } from "@tabler/icons-react";
import dayjs from "dayjs";
import { useState } from "react";

import { DateTimeField } from "@/components/DateTimeField";
import { MonthButtons } from "@/components/MonthButtons";
import { perLanguage } from "@/format/locale";
import { zoneName } from "@/format/zone";

import { spanNames, spans, type LogFilters } from "./filters";

type Time = Pick<LogFilters, "span" | "from" | "to">;

const formatter = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
);
const short = (iso: string) => formatter().format(new Date(iso));

/** Describes the selected time. */
function timeName({ span, from, to }: Time): string {
  if (span) return spanNames[span];
  const [start, end] = [from && short(from), to && short(to)];
  if (start && end) return `${start} – ${end}`;
  if (start) return t`Since ${start}`;
  return end ? t`Until ${end}` : t`Any time`;
}

/** Filters by time: a span that ends now, or custom moments. */
export function TimeFilter({ value, onChange }: { value: Time; onChange: (time: Time) => void }) {
  const [opened, { toggle, close, set }] = useDisclosure(false);
  const choose = (time: Time) => {
    onChange({ span: undefined, from: undefined, to: undefined, ...time });
    close();
  };
  const any = !value.span && !value.from && !value.to;
  const name = timeName(value);
  return (
    <Popover opened={opened} onChange={set} position="bottom-start" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fw={400}
          justify="space-between"
          leftSection={<IconCalendar size={15} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={toggle}
          aria-label={t`Time: ${name}`}
          w={{ base: "100%", xs: "auto" }}
        >
          {name}
        </Button>
      </Popover.Target>
      <Popover.Dropdown w={280} aria-label={t`Time`}>
        <Stack gap={2}>
          <Choice chosen={any} onClick={() => choose({})}>{t`Any time`}</Choice>
          {spans.map((span) => (
            <Choice key={span} chosen={value.span === span} onClick={() => choose({ span })}>
              {spanNames[span]}
            </Choice>
          ))}
        </Stack>
        <Divider my="xs" />
        <MonthButtons choose={choose} />
        <Divider my="xs" />
        <Custom value={value} apply={choose} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ chosen, onClick, children }: { chosen: boolean; onClick: () => void; children: string }) {
  return (
    <Button
      size="xs"
      justify="flex-start"
      variant={chosen ? "light" : "subtle"}
      color={chosen ? undefined : "gray"}
      c={chosen ? undefined : "inherit"}
      fw={400}
      onClick={onClick}
      aria-pressed={chosen}
    >
      {children}
    </Button>
  );
}

// Not translated: the value of the field.
const local = (iso: string | undefined) => (iso ? dayjs(iso).format("YYYY-MM-DD HH:mm:ss") : null);
const iso = (text: string | null) => (text ? dayjs(text).toISOString() : undefined);

function Custom({ value, apply }: { value: Time; apply: (time: Time) => void }) {
  const [from, setFrom] = useState(local(value.from));
  const [to, setTo] = useState(local(value.to));
  const empty = from !== null && to !== null && from >= to;
  const zone = zoneName(Date.now());
  const shared = { clearable: true, size: "xs", popoverProps: { withinPortal: false } } satisfies DateTimePickerProps;
  return (
    <Stack gap="xs">
      <DateTimeField label={t`From`} placeholder={t`The beginning`} value={from} onChange={setFrom} {...shared} />
      <DateTimeField label={t`Until`} placeholder={t`Now`} value={to} onChange={setTo} {...shared} />
      <Text size="xs" c="dimmed">
        <Trans>Times are in {zone}.</Trans>
      </Text>
      {empty && (
        <Text size="xs" c="var(--tollgate-bad)" role="alert">
          <Trans>From must be before until.</Trans>
        </Text>
      )}
      <Button size="xs" disabled={empty || (!from && !to)} onClick={() => apply({ from: iso(from), to: iso(to) })}>
        <Trans>Apply</Trans>
      </Button>
    </Stack>
  );
}
