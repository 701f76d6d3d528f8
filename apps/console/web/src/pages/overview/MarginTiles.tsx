import { plural, t } from "@lingui/core/macro";
import { SimpleGrid, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { AnchorLink } from "@/components/links";
import { Stat } from "@/components/Stat";
import { Usd } from "@/components/values";
import { parseUsd, percent, shortUsd } from "@/format/money";

import { changeText } from "./changeText";
import { logsOf, type PartProps } from "./view";

/**
 * Shows operators what the view's requests earned, what upstreams charged for them, and what is left. Nothing is shown
 * before costs are known, nor for users and tokens, whose costs are not.
 */
export function MarginTiles({ usage, view }: Omit<PartProps, "set">) {
  const row = usage.data?.total;
  if (!row?.supplier || (row.supplier.requests === 0 && parseUsd(row.supplier.cost) === 0n)) return null;
  const before = usage.data?.previous.supplier;
  const { cost, quota, margin, requests } = row.supplier;
  const share = percent(parseUsd(margin), parseUsd(quota));
  const unknown = Math.max(0, row.requests - requests);
  const link = (figure: ReactNode) => (
    <AnchorLink to="/usage-logs" search={logsOf(view)} inherit c="inherit">
      {figure}
    </AnchorLink>
  );
  const against = (now: string, then = "0") =>
    changeText(view.span, parseUsd(now), parseUsd(then), { used: (before?.requests ?? 0) > 0, show: shortUsd });
  return (
    <Stack gap={6}>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Stat label={t`Revenue`} value={link(<Usd amount={quota} short />)} hint={against(quota, before?.quota)} />
        <Stat label={t`Suppliers’ cost`} value={link(<Usd amount={cost} short />)} hint={against(cost, before?.cost)} />
        <Stat
          label={t`Margin`}
          value={link(<Usd amount={margin} short />)}
          hint={share ? t`${share} of the revenue` : t`No revenue`}
        />
      </SimpleGrid>
      {unknown > 0 && (
        <Text size="sm" c="dimmed">
          {plural(unknown, {
            one: "# request has no known cost. It is not in these three figures.",
            other: "# requests have no known cost. They are not in these three figures.",
          })}
        </Text>
      )}
    </Stack>
  );
}
