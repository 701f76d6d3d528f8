import { SimpleGrid, Text } from "@mantine/core";

import { ErrorState } from "@/components/states";
import { Stat } from "@/components/Stat";
import { rangeNames, type Range } from "@/components/usage/range";
import { change, showShare, type Totals } from "@/components/usage/series";
import { Usd } from "@/components/values";
import { decimalUsd } from "@/format/money";
import { plural, shortCount } from "@/format/number";

interface TilesProps {
  range: Range;
  totals: Totals | undefined;
  earlier: Totals | undefined;
  error: unknown;
  retry: () => void;
}

/** Shows the totals of the view's time, each with its change from the previous period. */
export function Tiles({ range, totals, earlier, error, retry }: TilesProps) {
  if (error && !totals) return <ErrorState error={error} retry={retry} />;
  const against = (amount: (all: Totals) => bigint) => <Change percent={totals && earlier && change(amount(totals), amount(earlier))} loading={!totals || !earlier} range={range} />;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Stat label="Spend" value={totals && <Usd amount={decimalUsd(totals.spend)} short />} hint={against((all) => all.spend)} />
      <Stat label="Requests" value={totals && shortCount(totals.requests)} hint={against((all) => BigInt(all.requests))} />
      <Stat label="Tokens" value={totals && shortCount(totals.tokens)} hint={against((all) => BigInt(all.tokens))} />
      <Stat label="Failed" value={totals && showShare(totals.failed, totals.requests)} hint={totals ? plural(totals.failed, "failed call") : "\u00a0"} />
    </SimpleGrid>
  );
}

function Change({ percent, loading, range }: { percent: number | undefined; loading: boolean; range: Range }) {
  if (loading) return <>&nbsp;</>;
  if (percent === undefined) return <>nothing the {rangeNames[range]} before</>;
  const sign = percent > 0 ? "+" : percent < 0 ? "−" : "±";
  const size = Math.abs(percent);
  return (
    <>
      <Text component="span" inherit className="tabular" c={percent === 0 ? undefined : "var(--mantine-color-text)"}>
        {size >= 1000 ? "over " : ""}{sign}{size >= 1000 ? "1,000" : size.toFixed(size < 10 ? 1 : 0)}%
      </Text>{" "}
      against the {rangeNames[range]} before
    </>
  );
}
