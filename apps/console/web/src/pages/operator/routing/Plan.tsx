import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Schema } from "@/api/client";
import { reasonLabel } from "@/components/channels/reason";
import { wordOf } from "@/components/channels/status";
import { StatusOfChannel } from "@/components/channels/StatusOfChannel";
import { AnchorLink } from "@/components/links";
import { Status } from "@/components/values";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { channelsHealthQuery } from "@/pages/operator/catalog/queries";

import classes from "./Plan.module.css";
import { partsOf, reasons, refusalOf, verdicts } from "./reasons";

type Routed = Schema<"RoutedTo">;

/**
 * Shows the outcome of a call: the channels in the order in which they would be tried, and the reasons why the others
 * would not be.
 */
export function Plan({ answer }: { answer: Schema<"RoutingAnswer"> }) {
  const { tried, dropped, others } = partsOf(answer.channels);
  const refusal = refusalOf(answer);
  const attempts = tried.length;
  return (
    <Stack>
      <Alert
        color={refusal ? "red" : "green"}
        title={
          refusal
            ? t`The call is refused`
            : t`The call is served, with at most ${plural(attempts, { one: "# attempt", other: "# attempts" })}`
        }
      >
        {i18n._(verdicts[answer.verdict])}
        {refusal && (
          <>
            {" "}
            <Trans>
              The caller gets <span className="mono">{refusal}</span>.
            </Trans>
          </>
        )}
      </Alert>
      {tried.length > 0 && (
        <Part
          title={answer.visible ? t`Tried, in order` : t`Would be tried if the caller could use the model`}
          channels={tried}
          hint={
            answer.routing === "cheapest"
              ? t`Within a priority, the channel whose upstream charges the least for the estimated call comes first.`
              : t`Within a priority, channels are chosen at random, by weight and load. This is the most likely order.`
          }
        />
      )}
      {dropped.length > 0 && <Part title={t`Not tried`} channels={dropped} />}
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {othersLine(others)}
        </Text>
      )}
    </Stack>
  );
}

/** Names the channels that do not serve the model, at most 20 of them. */
function othersLine(others: Routed[]): string {
  const names = others
    .slice(0, 20)
    .map(({ channel }) => channel)
    .join(", ");
  const more = others.length - 20;
  if (more <= 0) return t`Other channels, which don't serve the model: ${names}.`;
  const count = showCount(more);
  return t`Other channels, which don't serve the model: ${names} and ${count} more.`;
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
  const { priority, weight } = routed;
  const health = useQuery(channelsHealthQuery).data?.get(routed.channel_id);
  const cost = routed.supplier_cost && showUsd(routed.supplier_cost);
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
        <StatusOfChannel setting={routed.reason === "disabled" ? "disabled" : "enabled"} health={health} />
        <Badge color="gray">
          <Trans>Priority {priority}</Trans>
        </Badge>
        <Badge color="gray">
          <Trans>Weight {weight}</Trans>
        </Badge>
        {cost && (
          <Badge color="gray">
            <Trans>Cost {cost}</Trans>
          </Badge>
        )}
        {disabled > 0 && (
          <Badge color="red">
            {plural(disabled, { one: "# credential disabled", other: "# credentials disabled" })}
          </Badge>
        )}
      </Group>
      <Status value={toneOf(routed)}>{reasonLabel(routed.reason)}</Status>
      <div className={classes["why"]}>
        <Text size="sm" c="dimmed">
          {i18n._(reasons[routed.reason])}
        </Text>
        {routed.relays.map((relay) => (
          <Text key={`${relay.relay_id} ${relay.model} ${relay.fingerprint}`} size="sm" c="dimmed">
            {failuresLine(relay)}
          </Text>
        ))}
      </div>
    </li>
  );
}

function failuresLine({ model, mask, failures, error }: Routed["relays"][number]): string {
  const reason = wordOf(error);
  if (!mask) return t`${model} failed ${plural(failures, { one: "# time", other: "# times" })} in a row: ${reason}`;
  return t`${model} with ${mask} failed ${plural(failures, { one: "# time", other: "# times" })} in a row: ${reason}`;
}

function toneOf({ order, reason }: Routed): string {
  if (order === 0) return "disabled";
  return reason === "kept" || reason === "translated" || reason === "cheapest" ? "pending" : "cooling";
}
