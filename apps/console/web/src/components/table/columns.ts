import {
  columnOrderingFeature,
  columnVisibilityFeature,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type RowData,
} from "@tanstack/react-table";
import type { ReactNode } from "react";

import type { Value } from "./csv";
import { compareValues } from "./sorting";

interface ColumnLayout {
  align?: "left" | "right";
  /** A CSS width. Columns without a width share the remaining space. */
  width?: number | string;
  /**
   * Hides the column on screens narrower than a laptop screen; "wide" hides it on laptop screens too. Phones show all
   * columns, and so does a user who adds the column.
   */
  secondary?: boolean | "wide";
  /** The column of the row's buttons: always the last one, and in sight when the table is wider than the screen. */
  actions?: boolean;
}

/**
 * A column of a DataTable. `cell` is called as a function, so it must not use hooks itself; it may return a component
 * that uses hooks.
 */
export interface Column<Row> extends ColumnLayout {
  /**
   * The name under which users' choices remember the column, in every language. By default the header. Unique within
   * the table.
   */
  id?: string;
  /** The header of the column and, on phones, the label of its cells. */
  header: string;
  cell: (row: Row) => ReactNode;
  /**
   * The plain value of a cell, which is copied and written to CSV files: as exact as the API has it. A column without
   * one, such as one of buttons, is in no file.
   */
  value?: (row: Row) => Value;
  /** What the column sorts by, if it is not the value: such as the amount of a decimal text. undefined stands last. */
  sortBy?: (row: Row) => Value;
  /**
   * How many characters a cell shows, if they are not those of the value. Wide cells decide about the width of the
   * column.
   */
  lengthOf?: (row: Row) => number;
  /** Hidden unless the user adds it. */
  optional?: boolean;
}

export const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  columnMeta: {} as ColumnLayout & { copied: boolean },
});
export type Features = typeof features;

/** Returns the id of a column. */
export const idOf = <Row>({ id, header }: Column<Row>) => id ?? header;

/** Returns the column as TanStack Table knows it. `sorts` tells whether its header may sort. */
export const columnDef = <Row extends RowData>(
  { id, header, cell, value, sortBy = value, align, width, secondary, actions }: Column<Row>,
  sorts: boolean,
): ColumnDef<Features, Row> => ({
  id: id ?? header,
  header,
  accessorFn: (row) => sortBy?.(row) ?? undefined,
  cell: ({ row }) => cell(row.original),
  enableSorting: sorts && sortBy !== undefined,
  sortFn: (a, b, by) => compareValues(a.getValue<Value>(by), b.getValue<Value>(by)),
  sortUndefined: "last",
  sortDescFirst: align === "right",
  meta: { align, width, secondary, actions, copied: value !== undefined },
});
