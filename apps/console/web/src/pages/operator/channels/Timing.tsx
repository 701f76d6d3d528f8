import { t } from "@lingui/core/macro";
import { showMillis } from "@/format/number";

import classes from "./Timing.module.css";

/** Shows how long a call took to connect, to the first byte and in total, in ms. */
export function Timing({ connect, firstByte, total }: { connect: number; firstByte: number; total: number }) {
  const parts = [
    { id: "connect", name: t`Connect`, length: connect, at: connect, tone: classes["connect"] },
    {
      id: "first",
      name: t`First byte`,
      length: Math.max(0, firstByte - connect),
      at: firstByte,
      tone: classes["wait"],
    },
    {
      id: "total",
      name: t({ message: "Total", context: "duration" }),
      length: Math.max(0, total - Math.max(firstByte, connect)),
      at: total,
      tone: classes["read"],
    },
  ];
  return (
    <div>
      <div className={classes["track"]} aria-hidden>
        {parts.map(
          ({ id, length, tone }) =>
            length > 0 && <div key={id} className={tone} style={{ flexGrow: length, minWidth: 3 }} />,
        )}
      </div>
      <dl className={classes["parts"]}>
        {parts.map(({ id, name, at, tone }) => (
          <div key={id}>
            <dt>
              <span className={`${classes["dot"]} ${tone}`} aria-hidden />
              {name}
            </dt>
            <dd className="tabular">{at > 0 || id === "total" ? showMillis(at) : "–"}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
