import { type ReactNode, useId } from "react";

import classes from "./SegmentedControl.module.css";

interface SegmentedControlProps<Value extends string> {
  "aria-label"?: string;
  "aria-labelledby"?: string;
  /** The choices; of a plain one, the value is the label. */
  data: readonly (Value | { value: Value; label: ReactNode })[];
  /** The choice that is marked; a value that is no choice marks none. */
  value?: string;
  onChange: (value: Value) => void;
  size?: "xs" | "sm";
  /** Takes all of the width that there is. */
  fullWidth?: boolean;
}

/**
 * Offers a few choices side by side, of which one is marked. Mantine's moves its mark by script: it measures the page
 * before the first paint, which takes a tenth of a second of the overview on a slow machine.
 */
export function SegmentedControl<Value extends string>({
  data,
  value,
  onChange,
  size = "xs",
  fullWidth,
  ...labels
}: SegmentedControlProps<Value>) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      className={classes["control"]}
      data-size={size}
      data-full-width={fullWidth || undefined}
      aria-label={labels["aria-label"]}
      aria-labelledby={labels["aria-labelledby"]}
    >
      {data.map((choice) => {
        const { value: own, label } = typeof choice === "string" ? { value: choice, label: choice } : choice;
        return (
          <label key={own} className={classes["choice"]}>
            <input type="radio" name={name} value={own} checked={own === value} onChange={() => onChange(own)} />
            <span>{label}</span>
          </label>
        );
      })}
    </div>
  );
}
