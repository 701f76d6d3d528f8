import { plural, t } from "@lingui/core/macro";
import { SimpleGrid } from "@mantine/core";
import type { ReactNode } from "react";

import { AnchorLink } from "@/components/links";
import { ErrorState } from "@/components/states";
import { Stat } from "@/components/Stat";
import { type Measure, measureNames, shortAmount, showShare, type Totals } from "@/components/usage/series";
import { Usd } from "@/components/values";
import { decimalUsd } from "@/format/money";
import { shortCount } from "@/format/number";
import type { LogSearch } from "@/pages/usage-logs/filters";

import { changeText } from "./changeText";
import { logsOf, type PartProps } from "./view";

/** Shows the totals of the view's time, each with its change from the previous period and a link to its requests. */
export function Tiles({ view, usage: { totals, earlier, error, retry } }: Omit<PartProps, "set">) {
  if (error && !totals) return <ErrorState error={error} retry={retry} />;
  const logs = (figure: ReactNode, more?: LogSearch) =>
    totals && (
      <AnchorLink to="/usage-logs" search={logsOf(view, more)} inherit c="inherit">
        {figure}
      </AnchorLink>
    );
  const against = (measure: Measure, amount: (all: Totals) => bigint) =>
    totals && earlier
      ? changeText(view.span, amount(totals), amount(earlier), {
          used: earlier.requests > 0,
          show: (by) => shortAmount(by, measure),
        })
      : "\u00a0";
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Stat
        label={measureNames.spend}
        value={logs(<Usd amount={decimalUsd(totals?.spend ?? 0n)} short />)}
        hint={against("spend", (all) => all.spend)}
      />
      <Stat
        label={measureNames.requests}
        value={logs(shortCount(totals?.requests ?? 0))}
        hint={against("requests", (all) => BigInt(all.requests))}
      />
      <Stat
        label={measureNames.tokens}
        value={logs(shortCount(totals?.tokens ?? 0))}
        hint={against("tokens", (all) => BigInt(all.tokens))}
      />
      <Stat
        label={t`Failed`}
        value={logs(totals && showShare(totals.failed, totals.requests), { outcome: "failed" })}
        hint={totals ? failedRequests(totals.failed) : "\u00a0"}
      />
    </SimpleGrid>
  );
}

const failedRequests = (count: number) => plural(count, { one: "# failed request", other: "# failed requests" });
