import { useElementSize } from "@mantine/hooks";
import { nice, sum, ticks } from "d3-array";
import { type MouseEvent, type ReactNode, useState } from "react";

import classes from "./Bars.module.css";

/** One stacked bar of a chart. */
export interface Bar {
  /** Unique among the bars. */
  key: string;
  /** The label under the axis. */
  tick: string;
  /** The heights of the bar's parts from the axis upwards, in the order of the colors. */
  parts: number[];
}

interface BarsProps {
  bars: Bar[];
  colors: string[];
  /** The height of the whole chart in pixels, including the axes. */
  height: number;
  /** Returns the label of a grid line. A line with an empty label is not drawn. */
  axis: (height: number) => string;
  /** Returns the tooltip of the bar under the pointer. */
  tip: (index: number) => ReactNode;
  /** Called on a click on a bar, with the index of the part under the pointer, or −1 above all parts. */
  onBar?: (index: number, part: number) => void;
}

// Lengths in pixels: the margins around the bars, the maximum width of a bar and the space for one label.
const left = 62;
const top = 8;
const bottom = 26;
const widest = 36;
const tickWidth = 64;
const lines = 4;

/** Returns the place of a label under the bar at `x`: centered, or within the chart's right edge. */
export const tickPlace = (x: number, width: number) =>
  x + tickWidth / 2 > width ? ({ x: width, textAnchor: "end" } as const) : ({ x, textAnchor: "middle" } as const);

/** Returns the index of the part of a bar that is at a height, or −1 if the bar is lower. */
export function partAt(parts: number[], height: number): number {
  let top = 0;
  return parts.findIndex((part) => height < (top += part));
}

/** Draws stacked bars as an SVG. Screen readers get nothing from it: callers must also offer the figures as text. */
export function Bars({ bars, colors, height, axis, tip, onBar }: BarsProps) {
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number>();
  const [, highest] = nice(0, Math.max(...bars.map(({ parts }) => sum(parts))) || 1, lines);
  const y = (amount: number) => height - bottom - (amount / highest) * (height - bottom - top);
  const step = Math.max(width - left, 0) / bars.length;
  const middle = (index: number) => left + (index + 0.5) * step;
  const wide = Math.min(step * 0.82, widest);
  // Only every nth bar has a label, so that labels do not overlap. The last bar always has one.
  const every = Math.ceil((bars.length * tickWidth) / Math.max(width - left, tickWidth));
  const barAt = ({ nativeEvent: { offsetX } }: MouseEvent) => {
    const index = Math.floor((offsetX - left) / step);
    return index >= 0 && index < bars.length ? index : undefined;
  };
  const click = (event: MouseEvent) => {
    const index = barAt(event);
    const parts = index === undefined ? [] : (bars[index]?.parts ?? []);
    // An empty bar has nothing to show.
    if (index !== undefined && sum(parts) > 0)
      onBar?.(
        index,
        partAt(parts, ((height - bottom - event.nativeEvent.offsetY) / (height - bottom - top)) * highest),
      );
  };
  return (
    <div
      ref={ref}
      className={classes["bars"]}
      style={{ height }}
      onPointerMove={(event) => setHovered(barAt(event))}
      {...(onBar && { onClick: click, "data-opens": true })}
      onPointerLeave={() => setHovered(undefined)}
    >
      <svg width={width} height={height} aria-hidden>
        {ticks(0, highest, lines)
          .filter(axis)
          .map((tick) => (
            <g key={tick} transform={`translate(0 ${y(tick)})`}>
              <line x1={left} x2={width} className={classes["grid"]} />
              <text x={left - 8} dy="0.32em" textAnchor="end">
                {axis(tick)}
              </text>
            </g>
          ))}
        {hovered !== undefined && (
          <rect
            x={middle(hovered) - step / 2}
            width={step}
            y={top}
            height={height - bottom - top}
            className={classes["cursor"]}
          />
        )}
        {bars.map(({ key, tick, parts }, index) => (
          <g key={key}>
            {parts.map((part, i) => {
              const foot = sum(parts.slice(0, i));
              return (
                part > 0 && (
                  <rect
                    key={i}
                    x={middle(index) - wide / 2}
                    width={wide}
                    y={y(foot + part)}
                    height={y(foot) - y(foot + part)}
                    fill={colors[i]}
                  />
                )
              );
            })}
            {(bars.length - 1 - index) % every === 0 && (
              <text y={height - 7} {...tickPlace(middle(index), width)}>
                {tick}
              </text>
            )}
          </g>
        ))}
      </svg>
      {hovered !== undefined && (
        <div
          className={classes["tip"]}
          style={
            middle(hovered) > width / 2
              ? { right: width - middle(hovered) + step / 2 + 8 }
              : { left: middle(hovered) + step / 2 + 8 }
          }
        >
          {tip(hovered)}
        </div>
      )}
    </div>
  );
}
