import { Box, Skeleton, Table, VisuallyHidden } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";

import classes from "./DataTable.module.css";
import { ErrorState } from "./states";

export interface Column<Row> {
  /** The header, and on phones the label of the cell. */
  header: string;
  cell: (row: Row) => ReactNode;
  align?: "left" | "right";
  /** A CSS width; columns without share what is left. */
  width?: number | string;
  /** Left out on screens narrower than a laptop's; "wide": on laptops too. Phones show all. */
  secondary?: boolean | "wide";
}

interface DataTableProps<Row> {
  /** Told to screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  error?: unknown;
  retry?: () => void;
  /** Shown in place of rows where there are none. */
  empty: ReactNode;
  /** Clicking anywhere on a row. The first cell should hold a link or button that does the same for keyboards. */
  onRowClick?: (row: Row) => void;
  /** Marks a row that is over, such as a revoked token. */
  faded?: (row: Row) => boolean;
  footer?: ReactNode;
  /** The page that follows is on its way; the rows are those before it. */
  stale?: boolean;
  skeletonRows?: number;
  /** Less room between columns, for tables that have many. */
  dense?: boolean;
}

/** A list as a table, and on phones as cards. It has its own loading, empty and error states. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, error, retry, empty, footer, stale } = props;
  if (error !== undefined && error !== null && !rows) {
    return (
      <Box className={classes["frame"]}>
        <ErrorState error={error} {...(retry && { retry })} />
      </Box>
    );
  }
  const bare = rows?.length === 0;
  return (
    <Box className={classes["frame"]} aria-busy={!rows || stale}>
      {bare ? (
        empty
      ) : (
        <div className={classes["scroll"]} tabIndex={0} role="region" aria-label={caption}>
          <Table className={classes["table"]} horizontalSpacing={props.dense ? "xs" : "md"} role="table" data-stale={stale || undefined}>
            <caption className={classes["caption"]}>
              <VisuallyHidden>{caption}</VisuallyHidden>
            </caption>
            <Table.Thead role="rowgroup">
              <Table.Tr role="row">
                {columns.map((column) => (
                  <Table.Th
                    key={column.header}
                    role="columnheader"
                    scope="col"
                    w={column.width}
                    ta={column.align}
                    data-secondary={column.secondary || undefined}
                  >
                    {column.header}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">{rows ? rows.map((row) => dataRow(props, row)) : skeletons(columns, props.skeletonRows ?? 8)}</Table.Tbody>
          </Table>
        </div>
      )}
      {footer}
    </Box>
  );
}

function dataRow<Row>({ columns, rowKey, onRowClick, faded }: DataTableProps<Row>, row: Row) {
  const click = onRowClick && ((event: MouseEvent<HTMLElement>) => fromRowItself(event) && onRowClick(row));
  return (
    <Table.Tr key={rowKey(row)} role="row" onClick={click} data-clickable={onRowClick ? true : undefined} data-faded={faded?.(row) || undefined}>
      {columns.map((column) => (
        <Table.Td key={column.header} role="cell" ta={column.align} data-label={column.header} data-secondary={column.secondary || undefined}>
          {column.cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/** A click on a link, button or field within the row, or one that ends a selection of text, is not one on the row. */
function fromRowItself(event: MouseEvent<HTMLElement>): boolean {
  const inner = (event.target as HTMLElement).closest("a,button,input,label,[role=menuitem]");
  return !inner && !window.getSelection()?.toString();
}

function skeletons<Row>(columns: Column<Row>[], count: number) {
  return Array.from({ length: count }, (_, i) => (
    <Table.Tr key={i} role="row">
      {columns.map((column, j) => (
        <Table.Td key={column.header} role="cell" data-label={column.header} data-secondary={column.secondary || undefined}>
          <Skeleton h={12} my={4} radius="sm" w={`${[72, 48, 60, 40, 56][(i + j) % 5]}%`} ml={column.align === "right" ? "auto" : undefined} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
