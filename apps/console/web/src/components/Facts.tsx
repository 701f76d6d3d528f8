import type { ReactNode } from "react";

import classes from "./Facts.module.css";

/** Names and values, side by side. What has no value is left out. */
export function Facts({ facts }: { facts: (readonly [name: string, value: ReactNode] | false | undefined)[] }) {
  return (
    <dl className={classes["facts"]}>
      {facts.map((fact) => fact && fact[1] !== undefined && fact[1] !== false && (
        <div key={fact[0]} className={classes["fact"]}>
          <dt>{fact[0]}</dt>
          <dd>{fact[1]}</dd>
        </div>
      ))}
    </dl>
  );
}
