import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import dayjs from "dayjs";
import { useState } from "react";

import { DateTimeField } from "@/components/DateTimeField";
import { MonthButtons } from "@/components/MonthButtons";
import { longestSpan, type Span } from "@/components/usage/range";
import { zoneName } from "@/format/zone";

import type { OverviewSearch } from "./query";

interface RangeDialogProps {
  opened: boolean;
  close: () => void;
  /** The time that is shown now. */
  span: Span;
  set: (change: OverviewSearch) => void;
}

/** Asks for the beginning and the end of the time that the overview shows, in the reader's time zone. */
export function RangeDialog({ opened, close, ...rest }: RangeDialogProps) {
  return (
    <Modal opened={opened} onClose={close} title={t`Custom time range`} closeButtonProps={{ "aria-label": t`Close` }}>
      {opened && <RangeForm close={close} {...rest} />}
    </Modal>
  );
}

const local = (iso: string) => dayjs(iso).format("YYYY-MM-DD HH:mm:ss"); // not translated: the value of the field

/** Returns what is wrong with a time; undefined if nothing is. */
export function rangeFault(from: number, to: number): string | undefined {
  if (from >= to) return t`From must be before until.`;
  return to - from > longestSpan ? t`Choose at most one year.` : undefined;
}

function RangeForm({ close, span, set }: Omit<RangeDialogProps, "opened">) {
  const [from, setFrom] = useState<string | null>(local(span.from));
  const [to, setTo] = useState<string | null>(local(span.to));
  const zone = zoneName(Date.now());
  const fault =
    from && to ? rangeFault(Date.parse(dayjs(from).toISOString()), Date.parse(dayjs(to).toISOString())) : undefined;
  const apply = () => {
    if (from && to) set({ range: undefined, from: dayjs(from).toISOString(), to: dayjs(to).toISOString() });
    close();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <Stack>
        <MonthButtons
          choose={(month) => {
            set({ range: undefined, ...month });
            close();
          }}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <DateTimeField label={t`From`} value={from} onChange={setFrom} data-autofocus />
          <DateTimeField label={t`Until`} value={to} onChange={setTo} />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          <Trans>Times are in {zone}. Charts of more than three days have a bar for each day.</Trans>
        </Text>
        {fault && (
          <Text size="sm" c="var(--tollgate-bad)" role="alert">
            {fault}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={!from || !to || fault !== undefined}>
            <Trans>Apply</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
