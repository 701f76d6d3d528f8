import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import type { Schema } from "@/api/client";
import { AnchorLink } from "@/components/links";

import { healthQuery } from "./health";
import classes from "./UnservedModels.module.css";

type Unserved = Schema<"UnservedModels">;

/** Names the enabled models without a healthy channel. Shows nothing while all models have one. */
export function UnservedModels() {
  const { data } = useQuery(healthQuery);
  return data && <UnservedList unserved={data.models_without_channel} />;
}

/** Lists models without a healthy channel, each with its reason and a link to its channels. */
export function UnservedList({ unserved: { count, items } }: { unserved: Unserved }) {
  const listed = items.length;
  const more = count - listed;
  if (count === 0) return null;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={plural(count, {
        one: "# enabled model has no healthy channel",
        other: "# enabled models have no healthy channel",
      })}
    >
      <ul className={classes["list"]} aria-label={t`Models without a healthy channel`}>
        {items.map(({ model, reason, channels }) => (
          <li key={model} className={classes["item"]}>
            <AnchorLink
              to="/operator/models/$id"
              params={{ id: model }}
              c="inherit"
              underline="always"
              fw={500}
              className={classes["model"]}
            >
              {model}
            </AnchorLink>
            <Text component="span" size="sm">
              {reasonOf(reason)}
            </Text>
            {channels > 0 && (
              <AnchorLink
                to="/operator/channels"
                search={{ model }}
                c="inherit"
                underline="always"
                size="sm"
                aria-label={plural(channels, { one: `# channel: ${model}`, other: `# channels: ${model}` })}
              >
                {plural(channels, { one: "# channel", other: "# channels" })}
              </AnchorLink>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Text size="sm" mt={4}>
          <Trans>Only the first {listed} are listed.</Trans>
        </Text>
      )}
    </Alert>
  );
}

const reasons: Record<string, MessageDescriptor> = {
  no_channel: msg`No channel has it.`,
  disabled: msg`All its channels are disabled.`,
  failing: msg`All its enabled channels are failing.`,
};

/** Returns the sentence for a reason. A reason that is new to this console is shown as the API names it. */
function reasonOf(reason: string): string {
  const sentence = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return sentence ? i18n._(sentence) : reason;
}
