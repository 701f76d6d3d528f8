import { showUsd } from "@/format/money";

import { Bars } from "./Bars";
import { Swatch } from "./Legend";
import { colorOf } from "./palette";
import { tickOf, titleOf, type Bucket } from "./range";
import { plotAmount, shortAmount, showAmount, type Measure, type Stack } from "./series";
import classes from "./UsageChart.module.css";

interface StackChartProps {
  data: Stack;
  measure: Measure;
  bucket: Bucket;
  height: number;
}

/** Draws amounts over time as stacked bars. */
export function StackChart({ data, measure, bucket, height }: StackChartProps) {
  return (
    <Bars
      height={height}
      bars={data.points.map(({ start, amounts }) => ({ key: start, tick: tickOf(start, bucket), parts: amounts.map((amount) => plotAmount(amount, measure)) }))}
      colors={data.series.map(({ key }, i) => colorOf(i, key))}
      axis={(amount) => axisAmount(amount, measure)}
      tip={(index) => <Tip data={data} index={index} measure={measure} bucket={bucket} />}
    />
  );
}

/**
 * Returns the label of a grid line. The amount is rounded because it is computed from the pixel height. Counts that
 * are not whole numbers have no label.
 */
function axisAmount(height: number, measure: Measure): string {
  if (measure !== "spend" && !Number.isInteger(height)) return "";
  const amount = BigInt(Math.round(measure === "spend" ? height * 1e9 : height));
  return measure === "spend" && height >= 0.1 ? showUsd(amount, 2) : shortAmount(amount, measure);
}

function Tip({ data, index, measure, bucket }: Omit<StackChartProps, "height"> & { index: number }) {
  const point = data.points[index];
  if (!point) return null;
  const lines = data.series.map((series, i) => ({ series, amount: point.amounts[i] ?? 0n, color: colorOf(i, series.key) })).filter(({ amount }) => amount > 0n);
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
        <span>Total</span>
        <span className="tabular">{showAmount(point.total, measure)}</span>
      </div>
    </>
  );
}
