import { useElementSize } from "@mantine/hooks";
import { nice, sum, ticks } from "d3-array";
import { type PointerEvent, type ReactNode, useState } from "react";

import classes from "./Bars.module.css";

export interface Bar {
  /** Distinct among the bars. */
  key: string;
  /** Its name under the axis. */
  tick: string;
  /** Its parts from the axis upwards, in the order of the colours. */
  parts: number[];
}

interface BarsProps {
  bars: Bar[];
  colors: string[];
  /** Of all of it in pixels, the axes among it. */
  height: number;
  /** The name of a height at the axis; one without a name is not drawn. */
  axis: (height: number) => string;
  /** What is told of the bar under the pointer, by its index. */
  tip: (index: number) => ReactNode;
}

const left = 62;
const top = 8;
const bottom = 26;
const widest = 36;
const tickWidth = 64;
const lines = 4;

/** Stacked bars. Who cannot see them needs the figures beside them. */
export function Bars({ bars, colors, height, axis, tip }: BarsProps) {
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number>();
  const [, highest] = nice(0, Math.max(...bars.map(({ parts }) => sum(parts))) || 1, lines);
  const y = (amount: number) => height - bottom - (amount / highest) * (height - bottom - top);
  const step = Math.max(width - left, 0) / bars.length;
  const middle = (index: number) => left + (index + 0.5) * step;
  const wide = Math.min(step * 0.82, widest);
  const every = Math.ceil((bars.length * tickWidth) / Math.max(width - left, tickWidth));
  const point = (event: PointerEvent) => {
    const index = Math.floor((event.nativeEvent.offsetX - left) / step);
    setAt(index >= 0 && index < bars.length ? index : undefined);
  };
  return (
    <div ref={ref} className={classes["bars"]} style={{ height }} onPointerMove={point} onPointerLeave={() => setAt(undefined)}>
      <svg width={width} height={height} aria-hidden>
        {ticks(0, highest, lines).filter(axis).map((tick) => (
          <g key={tick} transform={`translate(0 ${y(tick)})`}>
            <line x1={left} x2={width} className={classes["grid"]} />
            <text x={left - 8} dy="0.32em" textAnchor="end">{axis(tick)}</text>
          </g>
        ))}
        {at !== undefined && <rect x={middle(at) - step / 2} width={step} y={top} height={height - bottom - top} className={classes["cursor"]} />}
        {bars.map(({ key, tick, parts }, index) => (
          <g key={key}>
            {parts.map((part, i) => {
              const foot = sum(parts.slice(0, i));
              return part > 0 && <rect key={i} x={middle(index) - wide / 2} width={wide} y={y(foot + part)} height={y(foot) - y(foot + part)} fill={colors[i]} />;
            })}
            {(bars.length - 1 - index) % every === 0 && <text x={middle(index)} y={height - 7} textAnchor="middle">{tick}</text>}
          </g>
        ))}
      </svg>
      {at !== undefined && (
        <div className={classes["tip"]} style={middle(at) > width / 2 ? { right: width - middle(at) + step / 2 + 8 } : { left: middle(at) + step / 2 + 8 }}>
          {tip(at)}
        </div>
      )}
    </div>
  );
}
