import { type RefObject, useEffect, useLayoutEffect } from "react";

/** The widths that headers had by themselves, while they are held. */
const own = new WeakMap<HTMLElement, string>();

/** Lets the browser lay the columns out by their content. */
export function release(table: HTMLTableElement) {
  table.style.tableLayout = table.style.width = "";
  for (const header of table.querySelectorAll("th")) {
    header.style.width = own.get(header) ?? header.style.width;
    own.delete(header);
  }
}

/** Keeps the columns as wide as they are. */
export function hold(table: HTMLTableElement) {
  const headers = [...table.querySelectorAll("th")];
  const widths = [table, ...headers].map((element) => element.getBoundingClientRect().width);
  if (!widths[0]) return; // it is not shown
  headers.forEach((header, i) => {
    own.set(header, header.style.width);
    header.style.width = `${widths[i + 1]}px`;
  });
  table.style.width = `${widths[0]}px`;
  table.style.tableLayout = "fixed";
}

/**
 * Keeps the widths of columns while rows come into sight. The first layout decides: it has a row of the longest values.
 * The columns are laid out again when the frame changes its width, and when `layout` changes, which names what decides
 * about widths.
 */
export function useSteadyWidths(scroll: RefObject<HTMLElement | null>, on: boolean, layout: string) {
  useLayoutEffect(() => {
    const table = on ? scroll.current?.querySelector("table") : undefined;
    if (!table) return;
    hold(table);
    return () => release(table);
  }, [scroll, on, layout]);
  useEffect(() => {
    const frame = scroll.current;
    if (!on || !frame || typeof ResizeObserver === "undefined") return;
    let width = frame.clientWidth;
    const observer = new ResizeObserver(() => {
      const table = frame.querySelector("table");
      if (!table || frame.clientWidth === width) return;
      width = frame.clientWidth;
      release(table);
      hold(table);
    });
    observer.observe(frame);
    return () => observer.disconnect();
  }, [scroll, on]);
}
