import { Alert, Badge, Divider, Group, Stack, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { AnchorLink } from "@/components/links";
import { Copyable, Status, Usd } from "@/components/values";
import { showMillis } from "@/format/number";
import { showDateTime } from "@/format/time";

import { Attempts } from "./Attempts";
import { ReceiptTable } from "./ReceiptTable";

type Detail = Schema<"UsageLogDetail">;

/** Shows one call with its cost, its receipt and the channels that were tried. */
export function LogDetail({ log }: { log: Detail }) {
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fz="1.75rem" fw={600} lh={1.2} className="tabular" style={{ letterSpacing: "-0.02em", overflowWrap: "anywhere" }}>
            <Usd amount={log.quota} />
          </Text>
          <Text c="dimmed">deducted for one call of {log.model}</Text>
        </div>
        <Group gap={6}>
          <Status value={log.outcome} />
          {log.stream && <Badge color="gray">Stream</Badge>}
          {log.estimated && <Badge color="yellow">Estimated</Badge>}
        </Group>
      </Group>
      {log.outcome === "failed" && (
        <Alert color="red">
          The call failed with HTTP status {log.status}{log.error && <> (<span className="mono">{log.error}</span>)</>}. {log.receipt ? "The upstream reported tokens, which are charged." : "Nothing was charged."}
        </Alert>
      )}
      {log.outcome === "partial" && <Alert color="yellow">The answer ended early{log.error && <> (<span className="mono">{log.error}</span>)</>}: what was generated until then is charged.</Alert>}
      {log.estimated && <Alert color="yellow">The upstream reported no usage, so the tokens were counted here.</Alert>}
      <section aria-labelledby="arithmetic">
        <Title order={3} id="arithmetic" mb="xs">How it was computed</Title>
        <ReceiptTable log={log} />
      </section>
      <section aria-labelledby="attempts">
        <Title order={3} id="attempts" mb="xs">Timing and channels</Title>
        <Attempts log={log} />
      </section>
      <Divider />
      <CallDescription log={log} />
    </Stack>
  );
}

function CallDescription({ log }: { log: Detail }) {
  const operator = isOperator(useIdentity());
  const id = (value: string, label: string) => <Copyable value={value} label={label} />;
  return (
    <DescriptionList
      items={[
        ["Time", showDateTime(log.created_at)],
        ["Endpoint", log.endpoint],
        ["HTTP status", String(log.status)],
        ["Latency", showMillis(log.latency_ms)],
        ["First token", log.first_byte_ms > 0 ? showMillis(log.first_byte_ms) : "–"],
        ["Token", <AnchorLink key="token" to="/tokens/$id" params={{ id: log.token_id }}>{log.token_name}</AnchorLink>],
        ["User", log.user_email],
        operator && ["Tenant", log.tenant],
        log.upstream_model ? ["Upstream's model", <span key="upstream" className="mono">{log.upstream_model}</span>] : undefined,
        ["Log and request id", id(log.id, "log id")],
        log.price_id ? ["Price version", id(log.price_id, "price version")] : undefined,
        log.rule_id ? ["Group rule version", id(log.rule_id, "group rule version")] : undefined,
        log.channel_id ? ["Channel id", id(log.channel_id, "channel id")] : undefined,
      ]}
    />
  );
}
