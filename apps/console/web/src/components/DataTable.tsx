import { Box, Skeleton, Table, VisuallyHidden } from "@mantine/core";
import { type Cell, type Column as TableColumn, type ColumnDef, type Row as TableRow, type RowData, tableFeatures, useTable } from "@tanstack/react-table";
import { type MouseEvent, type ReactNode, useMemo } from "react";

import classes from "./DataTable.module.css";
import { ErrorState } from "./states";

interface ColumnLayout {
  align?: "left" | "right";
  /** A CSS width. Columns without a width share the remaining space. */
  width?: number | string;
  /**
   * Hides the column on screens narrower than a laptop screen; "wide" hides it on laptop screens too. Phones show all
   * columns.
   */
  secondary?: boolean | "wide";
}

/**
 * A column of a DataTable. `cell` is called as a function, so it must not use hooks itself; it may return a component
 * that uses hooks.
 */
export interface Column<Row> extends ColumnLayout {
  /** The header of the column and, on phones, the label of its cells. Unique within the table. */
  header: string;
  cell: (row: Row) => ReactNode;
}

const features = tableFeatures({ columnMeta: {} as ColumnLayout });
type Features = typeof features;

const columnDef = <Row extends RowData>({ header, cell, ...meta }: Column<Row>): ColumnDef<Features, Row> => ({ id: header, header, cell: ({ row }) => cell(row.original), meta });

const noRows: never[] = [];

interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  error?: unknown;
  retry?: () => void;
  /** Shown instead of rows if the list is empty. */
  empty: ReactNode;
  /**
   * Called on a click anywhere in the row. The first cell should contain a link or button with the same effect for
   * keyboard users.
   */
  onRowClick?: (row: Row) => void;
  /** Returns true for rows to gray out, such as revoked tokens. */
  faded?: (row: Row) => boolean;
  footer?: ReactNode;
  /** True while the next page loads. `rows` are still those of the previous page. */
  stale?: boolean;
  skeletonRows?: number;
  /** Reduces the space between columns, for tables with many columns. */
  dense?: boolean;
}

/** Shows a list as a table and, on phones, as cards. It has its own loading, empty and error states. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, error, retry, empty, footer, stale } = props;
  const table = useTable<Features, Row>({ features, columns: useMemo(() => columns.map(columnDef), [columns]), data: rows ?? noRows, getRowId: rowKey });
  if (error !== undefined && error !== null && !rows) {
    return (
      <Box className={classes["frame"]}>
        <ErrorState error={error} {...(retry && { retry })} />
      </Box>
    );
  }
  const hasNoRows = rows?.length === 0;
  return (
    <Box className={classes["frame"]} aria-busy={!rows || stale}>
      {hasNoRows ? (
        empty
      ) : (
        <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={caption}>
          <Table className={classes["table"]} horizontalSpacing={props.dense ? "xs" : "md"} role="table" data-stale={stale || undefined}>
            <caption className={classes["caption"]}>
              <VisuallyHidden>{caption}</VisuallyHidden>
            </caption>
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {table.getAllLeafColumns().map(({ id, columnDef: { meta } }) => (
                  <Table.Th key={id} role="columnheader" scope="col" w={meta?.width} ta={meta?.align} data-secondary={meta?.secondary || undefined}>
                    {id}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">{rows ? table.getRowModel().rows.map((row) => dataRow(props, row)) : skeletons(table.getAllLeafColumns(), props.skeletonRows ?? 8)}</Table.Tbody>
          </Table>
        </div>
      )}
      {footer}
    </Box>
  );
}

function dataRow<Row extends RowData>({ onRowClick, faded }: DataTableProps<Row>, row: TableRow<Features, Row>) {
  const click = onRowClick && ((event: MouseEvent<HTMLElement>) => fromRowItself(event) && onRowClick(row.original));
  return (
    <Table.Tr key={row.id} role="row" onClick={click} data-clickable={onRowClick ? true : undefined} data-faded={faded?.(row.original) || undefined}>
      {row.getAllCells().map((cell) => (
        <Table.Td key={cell.id} role="cell" ta={cell.column.columnDef.meta?.align} data-label={cell.column.id} data-secondary={cell.column.columnDef.meta?.secondary || undefined}>
          {contentOf(cell)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/**
 * Calls the cell template as a function. Pages create new column objects on each render; a template mounted as a
 * component would lose its state each time.
 */
function contentOf<Row extends RowData>(cell: Cell<Features, Row>): ReactNode {
  const template = cell.column.columnDef.cell;
  return typeof template === "function" ? template(cell.getContext()) : template;
}

/**
 * Reports whether a click is meant for the row. Clicks on a link, button or field in the row are not, nor are clicks
 * that end a text selection.
 */
function fromRowItself(event: MouseEvent<HTMLElement>): boolean {
  const inner = (event.target as HTMLElement).closest("a,button,input,label,[role=menuitem]");
  return !inner && !window.getSelection()?.toString();
}

function skeletons<Row extends RowData>(columns: TableColumn<Features, Row>[], count: number) {
  return Array.from({ length: count }, (_, i) => (
    <Table.Tr key={i} role="row">
      {columns.map(({ id, columnDef: { meta } }, j) => (
        <Table.Td key={id} role="cell" data-label={id} data-secondary={meta?.secondary || undefined}>
          <Skeleton h={12} my={4} radius="sm" w={`${[72, 48, 60, 40, 56][(i + j) % 5]}%`} ml={meta?.align === "right" ? "auto" : undefined} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
