import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Group } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

import { AnchorLink } from "@/components/links";

import { type Dimension, dimensions } from "./query";
import { dimensionNames } from "./search";
import { breakdownBy, logsOf, type PartProps, type Usage } from "./view";

/** Returns the name of a value by which the overview is filtered; the end of its id if it has no usage. */
export function filterName(usage: Usage, by: Dimension, value: string): string {
  if (by === "model") return value;
  return breakdownBy(usage, by)?.items.find((row) => row.value === value)?.name || `…${value.slice(-8)}`;
}

/** Shows what the overview is limited to. Each filter can be removed. */
export function FilterLine({ view, usage, set }: PartProps) {
  const chosen = dimensions.flatMap((by) => {
    const value = view.filter[by];
    return value === undefined ? [] : [{ by, label: dimensionNames[by], name: filterName(usage, by, value) }];
  });
  const clear = () =>
    set({ model: undefined, token: undefined, user: undefined, tenant: undefined, channel: undefined });
  return (
    <Group gap="xs" role="group" aria-label={t`Filters`}>
      {chosen.map(({ by, label, name }) => (
        <Button
          key={by}
          size="xs"
          variant="light"
          maw="100%"
          rightSection={<IconX size={13} aria-hidden />}
          aria-label={t`Remove the filter ${label}: ${name}`}
          onClick={() => set({ [by]: undefined })}
        >
          {label}: {name}
        </Button>
      ))}
      {chosen.length > 1 && (
        <Anchor component="button" type="button" size="sm" onClick={clear}>
          <Trans>Clear filters</Trans>
        </Anchor>
      )}
      <AnchorLink to="/usage-logs" search={logsOf(view)} size="sm">
        <Trans>Show the requests</Trans>
      </AnchorLink>
    </Group>
  );
}
