import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Group, Stack, Text, VisuallyHidden } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, type Identity } from "@/api/session";
import type { Column } from "@/components/DataTable";
import { Hint } from "@/components/Hint";
import { AnchorLink } from "@/components/links";
import { tokenClasses, tools } from "@/components/usage/classes";
import { Moment, Status, Usd } from "@/components/values";
import { parseUsd } from "@/format/money";
import { showCount, showMillis } from "@/format/number";

import classes from "./UsageLogs.module.css";

type UsageLog = Schema<"UsageLog">;

/** Adds up the tokens of one side. */
const countOf = (log: UsageLog, side: "input" | "output") =>
  tokenClasses(side)
    .filter(({ partOf }) => !partOf)
    .reduce((sum, { name }) => sum + log.tokens[name], 0);

/** Shows input and output tokens, with all classes on hover. */
export function TokensCell({ log }: { log: UsageLog }) {
  const lines = [...tokenClasses("input"), ...tokenClasses("output")].filter(({ name }) => log.tokens[name] > 0);
  const used = tools.filter(({ name }) => log.tools[name] > 0);
  if (lines.length + used.length === 0) return <span className="dimmed">–</span>;
  const [input, output] = [showCount(countOf(log, "input")), showCount(countOf(log, "output"))];
  return (
    <Hint
      label={
        <Stack gap={0}>
          {lines.map(({ name, label, partOf }) => (
            <Group key={name} justify="space-between" gap="lg" pl={partOf && "sm"}>
              <span>{label}</span>
              <span className="tabular">{showCount(log.tokens[name])}</span>
            </Group>
          ))}
          {used.map(({ name, label }) => (
            <Group key={name} justify="space-between" gap="lg">
              <span>{label}</span>
              <span className="tabular">{showCount(log.tools[name])}</span>
            </Group>
          ))}
          {log.service_tier && (
            <Group justify="space-between" gap="lg">
              <span>
                <Trans>Service tier</Trans>
              </span>
              <span>{log.service_tier}</span>
            </Group>
          )}
          {log.estimated && (
            <Text size="xs" mt={4}>
              <Trans>Estimated: the upstream reported no usage.</Trans>
            </Text>
          )}
        </Stack>
      }
    >
      <span className={classes["whole"]}>
        {log.estimated && "~"}
        <Trans>
          {input} <span className="dimmed">in</span> {output} <span className="dimmed">out</span>
        </Trans>
      </span>
    </Hint>
  );
}

/** Shows the outcome of a call with its error code, and the HTTP status on hover. */
export function OutcomeCell({ log }: { log: UsageLog }) {
  return (
    <Hint label={`HTTP ${log.status}${log.error && `, ${log.error}`}`}>
      <span className={classes["outcome"]}>
        <Status value={log.outcome} />
        {log.error && (
          <Text component="span" size="xs" c="dimmed" className="mono" truncate>
            {log.error}
          </Text>
        )}
      </span>
    </Hint>
  );
}

const short = (value: string) => (
  <span className={classes["short"]} title={value}>
    {value}
  </span>
);
const dash = <span className="dimmed">–</span>;

/** A column of a count, which users can add. */
const countColumn = (id: string, header: string, count: (log: UsageLog) => number): Column<UsageLog> => ({
  id,
  header,
  align: "right",
  optional: true,
  value: count,
  cell: (log) => showCount(count(log)),
});

/**
 * Returns the columns of the usage logs for the role of the signed-in user. Cost and outcome are among the first
 * columns, because operators have more columns than fit on a laptop screen.
 */
export function logColumns(identity: Identity): Column<UsageLog>[] {
  const many = identity.user.role !== "member";
  const operator = isOperator(identity);
  const columns: (Column<UsageLog> | false)[] = [
    {
      id: "time",
      header: t`Time`,
      value: (log) => log.created_at,
      cell: (log) => (
        <AnchorLink
          from="/usage-logs"
          to="."
          search={(search) => ({ ...search, log: log.id })}
          inherit
          c="inherit"
          className={classes["whole"]}
        >
          <Moment at={log.created_at} clock />
          <VisuallyHidden>
            , <Trans>receipt</Trans>
          </VisuallyHidden>
        </AnchorLink>
      ),
    },
    {
      id: "model",
      header: t`Model`,
      value: (log) => log.model,
      cell: (log) => (
        <Text component="span" inherit fw={500} className={classes["short"]} title={log.model}>
          {log.model}
        </Text>
      ),
    },
    { id: "status", header: t`Status`, value: (log) => log.outcome, cell: (log) => <OutcomeCell log={log} /> },
    {
      id: "tokens",
      header: t({ message: "Tokens", context: "token count" }),
      align: "right",
      value: (log) => countOf(log, "input") + countOf(log, "output"),
      lengthOf: (log) => `${countOf(log, "input")}${countOf(log, "output")}`.length,
      cell: (log) => <TokensCell log={log} />,
    },
    {
      id: "quota",
      header: t`Quota`,
      align: "right",
      value: (log) => log.quota,
      sortBy: (log) => parseUsd(log.quota),
      cell: (log) => (
        <span className={classes["whole"]}>
          <Usd amount={log.quota} />
        </span>
      ),
    },
    {
      id: "latency",
      header: t`Latency`,
      align: "right",
      value: (log) => log.latency_ms,
      cell: (log) => <span className={classes["whole"]}>{showMillis(log.latency_ms)}</span>,
    },
    { id: "token", header: t`Token`, value: (log) => log.token_name, cell: (log) => short(log.token_name) },
    operator && { id: "tenant", header: t`Tenant`, value: (log) => log.tenant, cell: (log) => short(log.tenant ?? "") },
    many && {
      id: "user",
      header: t`User`,
      value: (log) => log.user_email,
      cell: (log) => short(log.user_email),
      secondary: operator ? ("wide" as const) : true,
    },
    {
      id: "channel",
      header: t`Channel`,
      value: (log) => log.channel,
      cell: (log) => (log.channel ? short(log.channel) : dash),
      secondary: true,
    },
    {
      id: "endpoint",
      header: t`Endpoint`,
      value: (log) => log.endpoint,
      cell: (log) => (
        <span className={classes["whole"]}>
          {log.endpoint}
          {log.stream && (
            <span className="dimmed">
              {" "}
              <Trans>stream</Trans>
            </span>
          )}
        </span>
      ),
      secondary: "wide",
    },
    {
      id: "first_token",
      header: t`First token`,
      align: "right",
      value: (log) => log.first_byte_ms || undefined,
      cell: (log) =>
        log.first_byte_ms > 0 ? <span className={classes["whole"]}>{showMillis(log.first_byte_ms)}</span> : dash,
      secondary: true,
    },
    countColumn("input_tokens", t`Input tokens`, (log) => countOf(log, "input")),
    countColumn("output_tokens", t`Output tokens`, (log) => countOf(log, "output")),
    countColumn("cached_input", t`Cached input`, (log) => log.tokens.cached_input),
    {
      id: "error",
      header: t`Error code`,
      optional: true,
      value: (log) => log.error,
      cell: (log) => (log.error ? short(log.error) : dash),
    },
    countColumn("http_status", t`HTTP status`, (log) => log.status),
    {
      id: "end_user",
      header: t`End user`,
      optional: true,
      value: (log) => log.end_user,
      cell: (log) => (log.end_user ? short(log.end_user) : dash),
    },
    {
      id: "tags",
      header: t`Tags`,
      optional: true,
      value: tagsOf,
      cell: (log) => (tagsOf(log) ? short(tagsOf(log)) : dash),
    },
    operator && {
      id: "supplier_cost",
      header: t`Supplier cost`,
      align: "right",
      optional: true,
      value: (log) => log.supplier_cost,
      sortBy: (log) => (log.supplier_cost === undefined ? undefined : parseUsd(log.supplier_cost)),
      cell: (log) =>
        log.supplier_cost === undefined ? (
          dash
        ) : (
          <span className={classes["whole"]}>
            <Usd amount={log.supplier_cost} />
          </span>
        ),
    },
    {
      id: "request_id",
      header: t`Request ID`,
      optional: true,
      value: (log) => log.id,
      cell: (log) => <span className={`mono ${classes["whole"]}`}>{log.id}</span>,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Returns the tags of a log as text, such as "team=blue, env=ci". */
const tagsOf = ({ tags }: UsageLog) =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
