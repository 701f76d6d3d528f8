import { Checkbox } from "@mantine/core";
import type { Ref } from "react";

import { type Selection, shareOfSelected, withSelected } from "./useSelection";

interface AllCheckboxProps {
  selection: Selection;
  /** The keys of the rows that the checkbox selects and deselects. */
  keys: readonly string[];
  /** The visible label. */
  label?: string | undefined;
  /** The name for screen readers, if it is not the label. */
  name?: string;
  ref?: Ref<HTMLInputElement>;
}

/** Selects all rows, or none if all are selected. It shows whether none, some or all are. */
export function AllCheckbox({ selection, keys, label, name, ref }: AllCheckboxProps) {
  const share = shareOfSelected(selection.state, keys);
  return (
    <Checkbox
      ref={ref}
      label={label}
      aria-label={name}
      checked={share === "all"}
      indeterminate={share === "some"}
      onChange={() => selection.change((state) => withSelected(state, keys, share !== "all"))}
    />
  );
}
