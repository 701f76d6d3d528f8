import { Trans } from "@lingui/react/macro";

import { showUsd } from "@/format/money";

import { Bars } from "./Bars";
import { Swatch } from "./Legend";
import { colorOf } from "./palette";
import type { Bucket } from "./range";
import { tickOf, titleOf } from "./rangeNames";
import { isMoney, plotAmount, shortAmount, showAmount, type Measure, type Stack } from "./series";
import classes from "./UsageChart.module.css";

interface StackChartProps {
  data: Stack;
  measure: Measure;
  bucket: Bucket;
  height: number;
  /** Called on a click on a bar, with the value of the series under the pointer. */
  open?: (start: string, value: string | undefined) => void;
}

/** Draws amounts over time as stacked bars. */
export function StackChart({ data, measure, bucket, height, open }: StackChartProps) {
  return (
    <Bars
      height={height}
      bars={data.points.map(({ start, amounts }) => ({
        key: start,
        tick: tickOf(start, bucket),
        parts: amounts.map((amount) => plotAmount(amount, measure)),
      }))}
      colors={data.series.map(({ key }, i) => colorOf(i, key))}
      axis={(amount) => axisAmount(amount, measure)}
      tip={(index) => <Tip data={data} index={index} measure={measure} bucket={bucket} opens={open !== undefined} />}
      {...(open && {
        onBar: (index: number, part: number) => open(data.points[index]?.start ?? "", data.series[part]?.value),
      })}
    />
  );
}

/**
 * Returns the label of a grid line. The amount is rounded because it is computed from the pixel height. Counts that
 * are not whole numbers have no label.
 */
function axisAmount(height: number, measure: Measure): string {
  if (!isMoney(measure) && !Number.isInteger(height)) return "";
  const amount = BigInt(Math.round(isMoney(measure) ? height * 1e9 : height));
  return isMoney(measure) && height >= 0.1 ? showUsd(amount, 2) : shortAmount(amount, measure);
}

function Tip({
  data,
  index,
  measure,
  bucket,
  opens,
}: Omit<StackChartProps, "height" | "open"> & { index: number; opens: boolean }) {
  const point = data.points[index];
  if (!point) return null;
  const lines = data.series
    .map((series, i) => ({ series, amount: point.amounts[i] ?? 0n, color: colorOf(i, series.key) }))
    .filter(({ amount }) => amount > 0n);
  return (
    <>
      <div className={classes["tipTitle"]}>{titleOf(point.start, bucket)}</div>
      {lines.map(({ series, amount, color }) => (
        <div key={series.key} className={classes["tipLine"]}>
          <Swatch color={color} />
          <span className={classes["tipName"]}>{series.name}</span>
          <span className="tabular">{showAmount(amount, measure)}</span>
        </div>
      ))}
      <div className={classes["tipTotal"]}>
        <span>
          <Trans>Total</Trans>
        </span>
        <span className="tabular">{showAmount(point.total, measure)}</span>
      </div>
      {opens && point.total > 0n && (
        <div className={classes["tipHint"]}>
          <Trans>Click to see the requests</Trans>
        </div>
      )}
    </>
  );
}
