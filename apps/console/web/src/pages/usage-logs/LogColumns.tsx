import { Group, Stack, Text, Tooltip, VisuallyHidden } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, type Identity } from "@/api/session";
import type { Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { tokenClasses } from "@/components/usage/classes";
import { Moment, Status, Usd } from "@/components/values";
import { showCount, showMillis } from "@/format/number";

import classes from "./UsageLogs.module.css";

type UsageLog = Schema<"UsageLog">;

/** Adds up the tokens of one side. */
const countOf = (log: UsageLog, side: "input" | "output") => tokenClasses(side).filter(({ partOf }) => !partOf).reduce((sum, { name }) => sum + log.tokens[name], 0);

/** Shows input and output tokens, with all classes on hover. */
export function TokensCell({ log }: { log: UsageLog }) {
  const lines = [...tokenClasses("input"), ...tokenClasses("output")].filter(({ name }) => log.tokens[name] > 0);
  if (lines.length === 0) return <Text component="span" inherit c="dimmed">–</Text>;
  return (
    <Tooltip
      label={
        <Stack gap={0}>
          {lines.map(({ name, label, partOf }) => <Group key={name} justify="space-between" gap="lg" pl={partOf && "sm"}><span>{label}</span><span className="tabular">{showCount(log.tokens[name])}</span></Group>)}
          {log.estimated && <Text size="xs" mt={4}>Counted here: the upstream reported none.</Text>}
        </Stack>
      }
    >
      <span className={classes["whole"]}>
        {log.estimated && "~"}{showCount(countOf(log, "input"))}
        <Text component="span" inherit c="dimmed"> in </Text>
        {showCount(countOf(log, "output"))}
        <Text component="span" inherit c="dimmed"> out</Text>
      </span>
    </Tooltip>
  );
}

/** Shows the outcome of a call with its error code, and the HTTP status on hover. */
export function OutcomeCell({ log }: { log: UsageLog }) {
  return (
    <Tooltip label={`HTTP ${log.status}${log.error && `, ${log.error}`}`}>
      <span className={classes["outcome"]}>
        <Status value={log.outcome} />
        {log.error && <Text component="span" size="xs" c="dimmed" className="mono" truncate>{log.error}</Text>}
      </span>
    </Tooltip>
  );
}

const short = (value: string) => <span className={classes["short"]} title={value}>{value}</span>;
const dash = <Text component="span" inherit c="dimmed">–</Text>;

/**
 * Returns the columns of the usage logs for the role of the signed-in user. Cost and outcome are among the first
 * columns, because operators have more columns than fit on a laptop screen.
 */
export function logColumns(identity: Identity): Column<UsageLog>[] {
  const many = identity.user.role !== "member";
  return [
    {
      header: "Time",
      cell: (log) => (
        <AnchorLink from="/usage-logs" to="." search={(search) => ({ ...search, log: log.id })} inherit c="inherit" className={classes["whole"]}>
          <Moment at={log.created_at} clock />
          <VisuallyHidden>, receipt</VisuallyHidden>
        </AnchorLink>
      ),
    },
    { header: "Model", cell: (log) => <Text component="span" inherit fw={500} className={classes["short"]} title={log.model}>{log.model}</Text> },
    { header: "Status", cell: (log) => <OutcomeCell log={log} /> },
    { header: "Tokens", align: "right", cell: (log) => <TokensCell log={log} /> },
    { header: "Quota", align: "right", cell: (log) => <span className={classes["whole"]}><Usd amount={log.quota} /></span> },
    { header: "Latency", align: "right", cell: (log) => <span className={classes["whole"]}>{showMillis(log.latency_ms)}</span> },
    { header: "Token", cell: (log) => short(log.token_name) },
    ...(isOperator(identity) ? [{ header: "Tenant", cell: (log: UsageLog) => short(log.tenant ?? "") }] : []),
    ...(many ? [{ header: "User", cell: (log: UsageLog) => short(log.user_email), secondary: isOperator(identity) ? ("wide" as const) : true }] : []),
    { header: "Channel", cell: (log) => (log.channel ? short(log.channel) : dash), secondary: true },
    { header: "Endpoint", cell: (log) => <span className={classes["whole"]}>{log.endpoint}{log.stream && <Text component="span" inherit c="dimmed"> stream</Text>}</span>, secondary: "wide" },
    { header: "First token", align: "right", cell: (log) => (log.first_byte_ms > 0 ? <span className={classes["whole"]}>{showMillis(log.first_byte_ms)}</span> : dash), secondary: true },
  ];
}
