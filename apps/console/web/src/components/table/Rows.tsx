import { Skeleton, Table } from "@mantine/core";
import type { Cell, Column as TableColumn, Row as TableRow, RowData } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type MouseEvent, type ReactNode, type Ref, type RefObject } from "react";

import type { Features } from "./columns";
import { RowCheckbox } from "./RowCheckbox";

// The rows have hundreds of elements. Table.Tr and Table.Td, which only add these classes, would take most of the time in
// which a page of a list is drawn.
const { tr: rowClass, td: cellClass } = Table.classes;

/** What the rows of a table share. */
export interface RowsProps<Row extends RowData> {
  rows: TableRow<Features, Row>[];
  columns: TableColumn<Features, Row>[];
  onRowClick?: ((row: Row) => void) | undefined;
  faded?: ((row: Row) => boolean) | undefined;
  /** Returns the name of a row for its checkbox. Rows without it have no checkbox. */
  nameOf?: ((row: Row) => string) | undefined;
}

/** Draws all rows. */
export function PlainRows<Row extends RowData>({ rows, ...shared }: RowsProps<Row>) {
  return rows.map((row) => <DataRow key={row.id} row={row} selected={row.getIsSelected()} {...shared} />);
}

interface VirtualRowsProps<Row extends RowData> extends RowsProps<Row> {
  /** The element that scrolls. */
  scroll: RefObject<HTMLElement | null>;
  /** The height in pixels of a row that was not drawn yet. */
  estimate: number;
  /** Returns about how many characters a cell shows. */
  lengthAt: (row: Row, column: string) => number;
}

/**
 * Draws the rows in sight and some more, for long lists. Empty rows take the place of the others. A collapsed row holds
 * the longest value of each column, so that the widths of columns change little while other rows come into sight.
 */
export function VirtualRows<Row extends RowData>({
  rows,
  scroll,
  estimate,
  lengthAt,
  ...shared
}: VirtualRowsProps<Row>) {
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => estimate,
    overscan: 12,
    getItemKey: (i) => rows[i]?.id ?? i,
  });
  const drawn = virtualizer.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  const selects = shared.nameOf !== undefined;
  const span = shared.columns.length + (selects ? 1 : 0);
  return (
    <>
      <LongestCells rows={rows} columns={shared.columns} lengthAt={lengthAt} selects={selects} />
      <Gap height={above} span={span} />
      {drawn.map(({ index, key }) => {
        const row = rows[index];
        const own = { index, measure: virtualizer.measureElement };
        return row && <DataRow key={String(key)} row={row} selected={row.getIsSelected()} {...own} {...shared} />;
      })}
      <Gap height={below} span={span} />
    </>
  );
}

function Gap({ height, span }: { height: number; span: number }) {
  return (
    height > 0 && (
      <tr aria-hidden style={{ border: 0 }}>
        <td colSpan={span} style={{ height, padding: 0 }} />
      </tr>
    )
  );
}

interface LongestCellsProps<Row extends RowData> extends Pick<VirtualRowsProps<Row>, "rows" | "columns" | "lengthAt"> {
  /** Whether the rows have checkboxes. */
  selects: boolean;
}

const LongestCells = memo(function LongestCells<Row extends RowData>({
  rows,
  columns,
  lengthAt,
  selects,
}: LongestCellsProps<Row>) {
  const longest = columns.map((column) => {
    const length = (row: TableRow<Features, Row>) => lengthAt(row.original, column.id);
    const found = rows.reduce(
      (most, row) => (length(row) > length(most) ? row : most),
      rows[0] as TableRow<Features, Row>,
    );
    return [column, found.getVisibleCells().find((cell) => cell.column.id === column.id)] as const;
  });
  return (
    <tr aria-hidden inert style={{ visibility: "collapse" }}>
      {selects && <td className={cellClass} data-selects />}
      {longest.map(
        ([
          {
            id,
            columnDef: { meta },
          },
          cell,
        ]) => (
          <td key={id} className={cellClass} data-align={meta?.align} data-secondary={meta?.secondary || undefined}>
            {cell && contentOf(cell)}
          </td>
        ),
      )}
    </tr>
  );
}) as <Row extends RowData>(props: LongestCellsProps<Row>) => ReactNode;

interface DataRowProps<Row extends RowData> extends Omit<RowsProps<Row>, "rows"> {
  row: TableRow<Features, Row>;
  selected: boolean;
  /** The place in a list of which only a part is drawn. */
  index?: number;
  measure?: Ref<HTMLTableRowElement>;
}

const DataRow = memo(function DataRow<Row extends RowData>({
  row,
  selected,
  onRowClick,
  faded,
  nameOf,
  index,
  measure,
}: DataRowProps<Row>) {
  const click = onRowClick && ((event: MouseEvent<HTMLElement>) => fromRowItself(event) && onRowClick(row.original));
  return (
    <tr
      ref={measure}
      className={rowClass}
      role="row"
      data-with-row-border
      aria-rowindex={index === undefined ? undefined : index + 2}
      data-index={index}
      data-row={row.id}
      onClick={click}
      data-clickable={onRowClick ? true : undefined}
      data-faded={faded?.(row.original) || undefined}
      data-selected={(nameOf && selected) || undefined}
    >
      {nameOf && (
        <RowCheckbox name={nameOf(row.original)} selected={selected} onChange={row.getToggleSelectedHandler()} />
      )}
      {row.getVisibleCells().map((cell, i) => {
        const {
          id,
          columnDef: { header, meta },
        } = cell.column;
        return (
          <td
            key={cell.id}
            className={cellClass}
            role="cell"
            tabIndex={-1}
            data-title={i === 0 || undefined}
            data-column={id}
            data-label={header}
            data-align={meta?.align}
            data-secondary={meta?.secondary || undefined}
            data-actions={meta?.actions || undefined}
            data-copied={meta?.copied || undefined}
          >
            {contentOf(cell)}
          </td>
        );
      })}
    </tr>
  );
}) as <Row extends RowData>(props: DataRowProps<Row>) => ReactNode;

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
 * that end a text selection. A click next to the checkbox of a row is meant for the checkbox.
 */
function fromRowItself(event: MouseEvent<HTMLElement>): boolean {
  const inner = (event.target as HTMLElement).closest("a,button,input,label,[role=menuitem],[data-selects]");
  return !inner && !window.getSelection()?.toString();
}

/** Takes the place of rows that are being loaded. */
export function SkeletonRows<Row extends RowData>({
  columns,
  count,
  selects,
}: {
  columns: TableColumn<Features, Row>[];
  count: number;
  selects: boolean;
}) {
  return Array.from({ length: count }, (_, i) => (
    <Table.Tr key={i} role="row">
      {selects && <Table.Td role="cell" data-selects />}
      {columns.map(({ id, columnDef: { header, meta } }, j) => (
        <Table.Td
          key={id}
          role="cell"
          data-title={j === 0 || undefined}
          data-label={header}
          data-secondary={meta?.secondary || undefined}
          data-actions={meta?.actions || undefined}
        >
          <Skeleton
            h={12}
            my={4}
            radius="sm"
            w={`${[72, 48, 60, 40, 56][(i + j) % 5]}%`}
            ml={meta?.align === "right" ? "auto" : undefined}
          />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
