import "@mantine/dates/styles.css";

import { SegmentedControl, Stack, Text } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import type { ReactNode } from "react";

interface WhenFieldProps {
  /** "YYYY-MM-DD HH:mm:ss" in the reader's time zone; null means now. */
  value: string | null;
  onChange: (when: string | null) => void;
  error?: ReactNode;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A field for the moment from which a change takes effect: now, or a future moment. */
export function WhenField({ value, onChange, error }: WhenFieldProps) {
  return (
    <Stack gap={6} align="flex-start">
      <Text size="sm" fw={500} id="when">
        Holds from
      </Text>
      <SegmentedControl
        aria-labelledby="when" size="sm" data={[{ value: "now", label: "Now" }, { value: "later", label: "Later" }]} value={value === null ? "now" : "later"}
        onChange={(word) => onChange(word === "now" ? null : tomorrow())}
      />
      {value !== null && (
        <DateTimePicker
          aria-label="Moment from which it holds" description={`In your time zone, ${zone}`} value={value} onChange={(when) => when && onChange(when)} error={error}
          minDate={localText(new Date())} valueFormat="DD MMM YYYY HH:mm" w="100%" maw={320} popoverProps={{ withinPortal: true }}
        />
      )}
      {value === null && (
        <Text size="sm" c="dimmed">
          Relays know it within a second. What was called before keeps its price.
        </Text>
      )}
    </Stack>
  );
}

const twoDigits = (n: number) => String(n).padStart(2, "0");

function localText(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}:00`;
}

/** Returns the next midnight. */
function tomorrow(): string {
  const now = new Date();
  return localText(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1));
}
