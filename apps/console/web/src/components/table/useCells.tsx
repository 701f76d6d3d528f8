import { t } from "@lingui/core/macro";
import { ActionIcon, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { type KeyboardEvent, type PointerEvent, useState } from "react";

import classes from "./useCells.module.css";

/**
 * A cell under the pointer: its value, and where its button goes, in pixels from the corner of the scrolled content.
 */
interface Place {
  cell: HTMLTableCellElement;
  left: number;
  top: number;
}

const side = 24;

function placeOf(cell: HTMLTableCellElement): Place {
  const left = cell.dataset["align"] === "right" ? cell.offsetLeft + 1 : cell.offsetLeft + cell.offsetWidth - side - 1;
  return { cell, left, top: cell.offsetTop + Math.max(0, (cell.offsetHeight - side) / 2) };
}

/** Returns the cell of the table that an arrow key leads to. */
function neighbor(cell: HTMLTableCellElement, key: string): Element | null | undefined {
  const row = cell.closest("tr");
  const beside = (from: Element | null | undefined) => from?.closest("tr[data-row]")?.children[cell.cellIndex];
  switch (key) {
    case "ArrowRight":
      return cell.nextElementSibling;
    case "ArrowLeft":
      return cell.previousElementSibling;
    case "ArrowDown":
      return beside(row?.nextElementSibling);
    case "ArrowUp":
      return beside(row?.previousElementSibling);
    case "Home":
      return row?.firstElementChild;
    case "End":
      return row?.lastElementChild;
  }
  return undefined;
}

/**
 * Lets users copy the plain value of a cell: with a button next to the pointer, or from the keyboard. Enter in the
 * focused table goes to its first cell, arrow keys to the others, Ctrl+C copies, Space selects the row in the cell of its
 * checkbox, and Escape goes back. `textAt` returns the value of a cell by the ids of its row and column. `handlers` go to the scrolled element, and `button` into it.
 */
export function useCells(textAt: (row: string, column: string) => string) {
  const [place, setPlace] = useState<Place>();
  const clipboard = useClipboard({ timeout: 1500 });
  const textIn = (cell: HTMLTableCellElement) =>
    cell.dataset["copied"] ? textAt(cell.closest("tr")?.dataset["row"] ?? "", cell.dataset["column"] ?? "") : "";
  const onPointerOver = (event: PointerEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (event.pointerType !== "mouse" || target.closest(`.${classes["copy"]}`)) return;
    const cell = target.closest<HTMLTableCellElement>("td[data-copied]");
    if (cell === (place?.cell ?? null)) return;
    clipboard.reset();
    setPlace(cell && textIn(cell) ? placeOf(cell) : undefined);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, currentTarget: region, key } = event;
    // Events of menus reach the region too, although they are not in it.
    if (key === "Escape" && target !== region && region.contains(target as Node)) region.focus();
    if (target === region && key === "Enter") region.querySelector<HTMLElement>("tr[data-row] > td")?.focus();
    if (!(target instanceof HTMLTableCellElement)) return;
    if (key === " " && target.dataset["selects"] !== undefined) {
      event.preventDefault(); // the region would scroll
      const { shiftKey } = event;
      target.querySelector("input")?.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey }));
      return;
    }
    const next = neighbor(target, key);
    if (next instanceof HTMLElement) {
      event.preventDefault();
      next.focus();
    } else if (key === "c" && (event.ctrlKey || event.metaKey) && !window.getSelection()?.toString()) {
      clipboard.copy(textIn(target));
    }
  };
  const text = place && textIn(place.cell);
  return {
    handlers: { onPointerOver, onPointerLeave: () => setPlace(undefined), onKeyDown },
    button: (
      <>
        {place && text && (
          <ActionIcon
            className={classes["copy"]}
            size={side}
            variant="default"
            tabIndex={-1}
            aria-label={t`Copy ${text}`}
            style={{ left: place.left, top: place.top }}
            onClick={() => clipboard.copy(text)}
          >
            {clipboard.copied ? <IconCheck size={13} aria-hidden /> : <IconCopy size={13} aria-hidden />}
          </ActionIcon>
        )}
        <VisuallyHidden role="status">{clipboard.copied && t`Copied`}</VisuallyHidden>
      </>
    ),
  };
}
