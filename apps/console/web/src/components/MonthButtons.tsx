import { t } from "@lingui/core/macro";
import { Button, Group } from "@mantine/core";
import dayjs from "dayjs";

interface MonthsProps {
  /** Called with the month's inclusive start and its exclusive end in the reader's time zone, as ISO text. */
  choose: (time: { from: string; to: string }) => void;
}

/** Returns the calendar month that was `ago` months before the one of `now`, in the reader's time zone. */
export function monthAt(now: number, ago: number): { from: string; to: string } {
  const start = dayjs(now).startOf("month").subtract(ago, "month");
  return { from: start.toISOString(), to: start.add(1, "month").toISOString() };
}

/** Chooses this or the last calendar month. */
export function MonthButtons({ choose }: MonthsProps) {
  return (
    <Group gap="xs" grow>
      <Button size="xs" variant="default" onClick={() => choose(monthAt(Date.now(), 0))}>{t`This month`}</Button>
      <Button size="xs" variant="default" onClick={() => choose(monthAt(Date.now(), 1))}>{t`Last month`}</Button>
    </Group>
  );
}
