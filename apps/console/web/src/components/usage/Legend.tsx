import { t } from "@lingui/core/macro";

import classes from "./Legend.module.css";
import { isNone } from "./series";

interface LegendProps {
  series: { name: string; value?: string | undefined; color: string }[];
  /** Called with the value of a series that is chosen. The series of all others cannot be. */
  pick?: (value: string) => void;
}

/** Lists the series of a chart with their colors. */
export function Legend({ series, pick }: LegendProps) {
  return (
    <ul className={classes["legend"]} aria-label={t`Legend`}>
      {series.map(({ name, value, color }) => (
        <li key={color + name}>
          <Swatch color={color} />
          {pick && value && !isNone(value) ? (
            <button type="button" title={t`Show only ${name}`} onClick={() => pick(value)}>
              {name}
            </button>
          ) : (
            <span title={name}>{name}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shows the color of a series as a small square. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes["swatch"]} style={{ background: color }} aria-hidden />;
}
