import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Stack, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { reasonLabel } from "@/components/channels/reason";
import { showMillis } from "@/format/number";

import classes from "./Attempts.module.css";
import { barsOf, type Bar } from "./timing";

type Detail = Schema<"UsageLogDetail">;
type Attempt = Schema<"Attempt">;

/** Shows the duration of a call and of each attempt as bars. */
export function Attempts({ log }: { log: Detail }) {
  const bars = barsOf(log.attempts, log.latency_ms);
  return (
    <Stack gap={10}>
      <TimeLine name={t`Whole request`} millis={log.latency_ms} bar={{ left: 0, width: 100 }} tone="whole" />
      {log.first_byte_ms > 0 && (
        <TimeLine
          name={t`Time to first token`}
          millis={log.first_byte_ms}
          bar={{ left: 0, width: Math.min(100, Math.max(1, (log.first_byte_ms / Math.max(1, log.latency_ms)) * 100)) }}
          tone="first"
        />
      )}
      {log.attempts.map((attempt, i) => (
        <TimeLine
          key={i}
          name={<AttemptName attempt={attempt} number={i + 1} />}
          millis={attempt.elapsed_ms}
          bar={bars[i] ?? { left: 0, width: 1 }}
          tone={attempt.served ? "good" : "bad"}
        />
      ))}
      {log.attempts.length === 0 && (
        <Text c="dimmed">
          <Trans>No channel was called.</Trans>
        </Text>
      )}
    </Stack>
  );
}

function AttemptName({ attempt, number }: { attempt: Attempt; number: number }) {
  const { dialect, key } = attempt;
  const detail = [
    attempt.status ? `HTTP ${attempt.status}` : "",
    attempt.error ?? "",
    dialect ? t`as ${dialect}` : "",
    key ? t`key ${key}` : "",
  ]
    .filter(Boolean)
    .join(", ");
  return (
    <Group gap={6} component="span">
      <span>
        {number}. {attempt.channel || <Trans>Deleted channel</Trans>}
      </span>
      <Badge size="sm" color={attempt.served ? "green" : "red"}>
        {attempt.served ? <Trans>Answered</Trans> : <Trans>Failed</Trans>}
      </Badge>
      {attempt.reason && attempt.reason !== "kept" && (
        <Badge size="sm" color="gray">
          {reasonLabel(attempt.reason)}
        </Badge>
      )}
      {detail && (
        <Text component="span" size="sm" c="dimmed">
          {detail}
        </Text>
      )}
      {attempt.message && (
        <Text component="span" size="sm" style={{ overflowWrap: "anywhere" }}>
          {attempt.message}
        </Text>
      )}
    </Group>
  );
}

function TimeLine({ name, millis, bar, tone }: { name: React.ReactNode; millis: number; bar: Bar; tone: string }) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text component="span" inherit>
          {name}
        </Text>
        <Text component="span" c="dimmed" className="tabular" style={{ flex: "none" }}>
          {showMillis(millis)}
        </Text>
      </Group>
      <div className={classes["track"]} aria-hidden>
        <div
          className={classes["bar"]}
          data-tone={tone}
          style={{ left: `${bar.left}%`, width: `${Math.min(bar.width, 100 - bar.left)}%` }}
        />
      </div>
    </div>
  );
}
