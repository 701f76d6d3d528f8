import { showMillis } from "@/format/number";

import classes from "./Timing.module.css";

/** Shows how long a call took to connect, to the first byte and in total, in ms. */
export function Timing({ connect, firstByte, total }: { connect: number; firstByte: number; total: number }) {
  const parts = [
    { name: "Connect", length: connect, at: connect, tone: classes["connect"] },
    { name: "First byte", length: Math.max(0, firstByte - connect), at: firstByte, tone: classes["wait"] },
    { name: "Total", length: Math.max(0, total - Math.max(firstByte, connect)), at: total, tone: classes["read"] },
  ];
  return (
    <div>
      <div className={classes["track"]} aria-hidden>
        {parts.map(({ name, length, tone }) => length > 0 && <div key={name} className={tone} style={{ flexGrow: length, minWidth: 3 }} />)}
      </div>
      <dl className={classes["parts"]}>
        {parts.map(({ name, at, tone }) => (
          <div key={name}>
            <dt>
              <span className={`${classes["dot"]} ${tone}`} aria-hidden />
              {name}
            </dt>
            <dd className="tabular">{at > 0 || name === "Total" ? showMillis(at) : "–"}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
