import { Alert, Badge, Group, Stack, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";
import { AnchorLink } from "@/components/links";
import { Status } from "@/components/values";
import { plural } from "@/format/number";
import { wordOf } from "@/pages/operator/channels/health";

import classes from "./Plan.module.css";
import { partsOf, reasonLabels, reasons, refusalOf, verdicts } from "./reasons";

type Routed = Schema<"RoutedTo">;

/**
 * Shows the outcome of a call: the channels in the order in which they would be tried, and the reasons why the others
 * would not be.
 */
export function Plan({ answer }: { answer: Schema<"RoutingAnswer"> }) {
  const { tried, dropped, others } = partsOf(answer.channels);
  const refusal = refusalOf(answer);
  return (
    <Stack>
      <Alert color={refusal ? "red" : "green"} title={refusal ? "The call is refused" : `The call is served: ${plural(tried.length, "attempt")} at most`}>
        {verdicts[answer.verdict]}
        {refusal && (
          <>
            {" "}
            The caller is answered <span className="mono">{refusal}</span>.
          </>
        )}
      </Alert>
      {tried.length > 0 && <Part title={answer.visible ? "Tried, in order" : "Would be tried, if the caller might"} channels={tried} hint="Within a priority chance decides by weight, and load: this is the likeliest order." />}
      {dropped.length > 0 && <Part title="Not tried" channels={dropped} />}
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {plural(others.length, "other channel does", "other channels do")} not serve the model: {others.slice(0, 20).map(({ channel }) => channel).join(", ")}
          {others.length > 20 && ` and ${others.length - 20} more`}.
        </Text>
      )}
    </Stack>
  );
}

function Part({ title, hint, channels }: { title: string; hint?: string; channels: Routed[] }) {
  return (
    <section aria-label={title}>
      <Title order={3}>{title}</Title>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      <ol className={classes["plan"]} style={{ marginTop: 8 }}>
        {channels.map((channel) => (
          <Attempt key={channel.channel_id} routed={channel} />
        ))}
      </ol>
    </section>
  );
}

function Attempt({ routed }: { routed: Routed }) {
  const disabled = routed.credentials.filter(({ status }) => status !== "enabled").length;
  return (
    <li className={classes["attempt"]}>
      <span className={classes["order"]} data-dropped={routed.order === 0 || undefined} aria-hidden>
        {routed.order || "–"}
      </span>
      <Group gap={8} miw={0}>
        <AnchorLink to="/operator/channels/$id" params={{ id: routed.channel_id }} fw={500} c="inherit">
          {routed.channel}
        </AnchorLink>
        <Badge color="gray">Priority {routed.priority}</Badge>
        <Badge color="gray">Weight {routed.weight}</Badge>
        {disabled > 0 && <Badge color="red">{plural(disabled, "credential")} disabled</Badge>}
      </Group>
      <Status value={toneOf(routed)}>{reasonLabels[routed.reason]}</Status>
      <div className={classes["why"]}>
        <Text size="sm" c="dimmed">
          {reasons[routed.reason]}
          {routed.relays.map((relay) => `; ${relay.model}${relay.mask && ` with ${relay.mask}`} failed ${plural(relay.failures, "time")} in a row: ${wordOf(relay.error)}`)}
        </Text>
      </div>
    </li>
  );
}

function toneOf({ order, reason }: Routed): string {
  if (order === 0) return reason === "disabled" ? "disabled" : "failed";
  return reason === "kept" || reason === "translated" ? "ok" : "cooling";
}
