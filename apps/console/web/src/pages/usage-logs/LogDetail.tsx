import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Divider, Group, Stack, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { AnchorLink } from "@/components/links";
import { Copyable, Status, Usd } from "@/components/values";
import { showMillis } from "@/format/number";
import { showDateTime } from "@/format/time";

import { Attempts } from "./Attempts";
import { Client } from "./Client";
import { ReceiptTable, SupplierTable } from "./ReceiptTable";

type Detail = Schema<"UsageLogDetail">;

/** Shows one call with its cost, its receipt and the channels that were tried. */
export function LogDetail({ log }: { log: Detail }) {
  const operator = isOperator(useIdentity());
  const { model } = log;
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text
            fz="1.75rem"
            fw={600}
            lh={1.2}
            className="tabular"
            style={{ letterSpacing: "-0.02em", overflowWrap: "anywhere" }}
          >
            <Usd amount={log.quota} />
          </Text>
          <Text c="dimmed">
            <Trans>deducted for one request to {model}</Trans>
          </Text>
        </div>
        <Group gap={6}>
          <Status value={log.outcome} />
          {log.stream && (
            <Badge color="gray">
              <Trans>Stream</Trans>
            </Badge>
          )}
          {log.estimated && (
            <Badge color="yellow">
              <Trans>Estimated</Trans>
            </Badge>
          )}
        </Group>
      </Group>
      {log.outcome === "failed" && (
        <Alert color="red">
          <Failure log={log} />{" "}
          {log.receipt ? (
            <Trans>The upstream reported tokens, which are charged.</Trans>
          ) : (
            <Trans>Nothing was charged.</Trans>
          )}
        </Alert>
      )}
      {log.outcome === "partial" && (
        <Alert color="yellow">
          <Partial error={log.error} />
        </Alert>
      )}
      {log.estimated && (
        <Alert color="yellow">
          <Trans>The upstream reported no usage, so the tokens were counted here.</Trans>
        </Alert>
      )}
      <section aria-labelledby="arithmetic">
        <Title order={3} id="arithmetic" mb="xs">
          <Trans>How it was computed</Trans>
        </Title>
        <ReceiptTable log={log} />
      </section>
      {operator && (log.supplier_receipt || log.supplier_cost !== undefined || log.channel_id) && (
        <section aria-labelledby="supplier">
          <Title order={3} id="supplier" mb="xs">
            <Trans>What suppliers charge</Trans>
          </Title>
          <SupplierTable log={log} />
        </section>
      )}
      <section aria-labelledby="attempts">
        <Title order={3} id="attempts" mb="xs">
          <Trans>Timing and channels</Trans>
        </Title>
        <Attempts log={log} />
      </section>
      <Divider />
      <CallDescription log={log} />
    </Stack>
  );
}

function Failure({ log: { status, error } }: { log: Detail }) {
  if (!error) return <Trans>The request failed with HTTP status {status}.</Trans>;
  return (
    <Trans>
      The request failed with HTTP status {status} (<span className="mono">{error}</span>).
    </Trans>
  );
}

function Partial({ error }: { error: string | undefined }) {
  if (!error) return <Trans>The answer ended early. You are charged for the part that was generated.</Trans>;
  return (
    <Trans>
      The answer ended early (<span className="mono">{error}</span>). You are charged for the part that was generated.
    </Trans>
  );
}

/** Shows the tags of a call. Each is a link to the calls that have it too. */
function Tags({ tags }: { tags: Detail["tags"] }) {
  return (
    <Group gap={6}>
      {Object.entries(tags).map(([name, value]) => (
        <AnchorLink
          key={name}
          from="/usage-logs"
          to="."
          search={({ log: _open, ...search }) => ({ ...search, tag: `${name}=${value}` })}
          className="mono"
        >
          {name}={value}
        </AnchorLink>
      ))}
    </Group>
  );
}

function CallDescription({ log }: { log: Detail }) {
  const operator = isOperator(useIdentity());
  const id = (value: string, label: string) => <Copyable value={value} label={label} />;
  return (
    <DescriptionList
      items={[
        [t`Time`, showDateTime(log.created_at)],
        [t`Endpoint`, log.endpoint],
        [t`HTTP status`, String(log.status)],
        [t`Latency`, showMillis(log.latency_ms)],
        [t`First token`, log.first_byte_ms > 0 ? showMillis(log.first_byte_ms) : "–"],
        [
          t`Token`,
          <AnchorLink key="token" to="/tokens/$id" params={{ id: log.token_id }}>
            {log.token_name}
          </AnchorLink>,
        ],
        [t`User`, log.user_email],
        operator && [t`Tenant`, log.tenant],
        log.end_user
          ? [
              t`End user`,
              <AnchorLink
                key="end-user"
                from="/usage-logs"
                to="."
                search={({ log: _open, ...search }) => ({ ...search, end_user: log.end_user })}
              >
                {log.end_user}
              </AnchorLink>,
            ]
          : undefined,
        log.client ? [t`Client`, <Client key="client" client={log.client} />] : undefined,
        log.ignored_fields ? [t`Ignored fields`, log.ignored_fields.split(",").join(", ")] : undefined,
        Object.keys(log.tags).length > 0 ? [t`Tags`, <Tags key="tags" tags={log.tags} />] : undefined,
        log.upstream_model
          ? [
              t`Upstream model`,
              <span key="upstream" className="mono">
                {log.upstream_model}
              </span>,
            ]
          : undefined,
        [t`Log and request ID`, id(log.id, t`log ID`)],
        log.price_id ? [t`Price version`, id(log.price_id, t`price version`)] : undefined,
        log.cost_id ? [t`Cost version`, id(log.cost_id, t`cost version`)] : undefined,
        log.rule_id ? [t`Group rule version`, id(log.rule_id, t`group rule version`)] : undefined,
        log.channel_id ? [t`Channel ID`, id(log.channel_id, t`channel ID`)] : undefined,
      ]}
    />
  );
}
