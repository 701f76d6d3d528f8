import type { ReactNode } from "react";

import classes from "./DescriptionList.module.css";

/** Shows names and values side by side. Items without a value are left out. */
export function DescriptionList({
  items,
}: {
  items: (readonly [name: string, value: ReactNode] | false | undefined)[];
}) {
  return (
    <dl className={classes["list"]}>
      {items.map(
        (item) =>
          item &&
          item[1] !== undefined &&
          item[1] !== false && (
            <div key={item[0]} className={classes["item"]}>
              <dt>{item[0]}</dt>
              <dd>{item[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
