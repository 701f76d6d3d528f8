import { t } from "@lingui/core/macro";
import { Checkbox, Table } from "@mantine/core";
import type { MouseEvent } from "react";

interface RowCheckboxProps {
  /** The name of the row. */
  name: string;
  selected: boolean;
  /** Gets the event of the checkbox, which tells whether Shift was pressed. */
  onChange: (event: unknown) => void;
}

// Shift would select the text from the last click on.
const keepText = (event: MouseEvent) => event.shiftKey && event.preventDefault();

/** The cell with which users select a row. */
export function RowCheckbox({ name, selected, onChange }: RowCheckboxProps) {
  return (
    <td className={Table.classes.td} role="cell" tabIndex={-1} data-selects onMouseDown={keepText}>
      <Checkbox aria-label={t`Select ${name}`} checked={selected} onChange={onChange} />
    </td>
  );
}
