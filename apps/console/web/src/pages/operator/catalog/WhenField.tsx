import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { DateTimeField } from "@/components/DateTimeField";
import { SegmentedControl } from "@/components/SegmentedControl";
import { timeZone } from "@/format/timeZone";

interface WhenFieldProps {
  /** "YYYY-MM-DD HH:mm:ss" in the reader's time zone; null means now. */
  value: string | null;
  onChange: (when: string | null) => void;
  error?: ReactNode;
  /** The change cannot hold from now: only a future moment can be chosen. */
  later?: boolean;
}

const zone = timeZone();

/** A field for the moment from which a change takes effect: now, or a future moment. */
export function WhenField({ value, onChange, error, later = false }: WhenFieldProps) {
  return (
    <Stack gap={6} align="flex-start">
      {!later && (
        <>
          <Text size="sm" fw={500} id="when">
            <Trans>Effective from</Trans>
          </Text>
          <SegmentedControl
            aria-labelledby="when"
            size="sm"
            data={[
              { value: "now", label: t`Now` },
              { value: "later", label: t`Later` },
            ]}
            value={value === null ? "now" : "later"}
            onChange={(word) => onChange(word === "now" ? null : tomorrow())}
          />
        </>
      )}
      {value !== null && (
        <DateTimeField
          label={later ? t`Effective from` : t`Date and time`}
          description={t`In your time zone, ${zone}`}
          value={value}
          onChange={(when) => when && onChange(when)}
          error={error}
          minDate={localText(new Date())}
          w="100%"
          maw={320}
          popoverProps={{ withinPortal: true }}
        />
      )}
      {value === null && (
        <Text size="sm" c="dimmed">
          <Trans>Takes effect within a second. Earlier requests keep their price.</Trans>
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
export function tomorrow(): string {
  const now = new Date();
  return localText(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1));
}
