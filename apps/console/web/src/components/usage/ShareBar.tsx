import { showPercent } from "@/format/number";

import classes from "./top.module.css";

/** Shows a share in percent as a short bar and as a number. */
export function ShareBar({ percent }: { percent: number }) {
  return (
    <span className={classes["share"]}>
      <span className={classes["track"]} aria-hidden>
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className={classes["percent"]}>{showPercent(Math.round(percent) / 100)}</span>
    </span>
  );
}
