import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Box, Table, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp, IconSelector } from "@tabler/icons-react";
import { type Column as TableColumn, type RowData, type SortingState, useTable } from "@tanstack/react-table";
import { type ReactNode, useMemo, useRef, useState } from "react";

import { saveFile } from "@/api/save";

import classes from "./DataTable.module.css";
import { ErrorState } from "./states";
import { type Column, columnDef, type Features, features, idOf } from "./table/columns";
import { csvOf, textOf } from "./table/csv";
import { AllCheckbox } from "./table/AllCheckbox";
import { PlainRows, SkeletonRows, VirtualRows } from "./table/Rows";
import { SortChoice } from "./table/SortChoice";
import { useCells } from "./table/useCells";
import type { ListOrder } from "./table/useListOrder";
import type { Selection } from "./table/useSelection";
import { useSteadyWidths } from "./table/useSteadyWidths";
import { useViews } from "./table/useViews";
import { ViewMenu } from "./table/ViewMenu";
import { moved, orderOf, type SortedBy, toggled, visibilityOf } from "./table/views";

export type { Column };

const noRows: never[] = [];
const noSorting: SortingState = [];
const nothingSelected = {};

/** Lists with more rows draw only those in sight. */
const manyRows = 60;

const rowHeights = { comfortable: 43, compact: 31 };

interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  caption: string;
  /**
   * The name under which the table's columns are remembered, and the beginning of the names of its CSV files. A table
   * without one has no menu.
   */
  table?: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  /**
   * Whether the rows are the whole list. Only then can users sort them by every column: a sorted part would be mistaken
   * for the top of the list.
   */
  whole?: boolean;
  /** The orders in which the API lists the rows. The headers of their columns sort all pages of the list. */
  order?: ListOrder;
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
  /**
   * Lets users select rows with checkboxes. Several tables can share a selection. It has the keys of rows, so rows stay
   * selected while they are sorted or filtered out; show how many are not in sight (SelectionBar) next to actions.
   */
  selection?: Selection;
  /** Returns the name of a row for its checkbox. Required for a selection. */
  nameOf?: (row: Row) => string;
  /** Shown above the rows, such as totals. */
  summary?: ReactNode;
  footer?: ReactNode;
  /** True while the next page loads. `rows` are still those of the previous page. */
  stale?: boolean;
  skeletonRows?: number;
  /** Reduces the space between columns, for tables with many columns. */
  dense?: boolean;
}

/**
 * Shows a list as a table and, on phones, as cards. It has its own loading, empty and error states.
 *
 * A table with a name has a menu in which users choose its columns, their order and the density of all tables, which
 * are remembered for each user, and save what they see as CSV. Whole lists sort by a click on a header, other lists by
 * the headers of the orders that the API has; on phones a choice is above the cards. The rows scroll below a header
 * that stays; long lists draw only the rows in sight.
 *
 * With a selection, each row has a checkbox. Shift selects all rows from the last one that was changed, and the header
 * selects or deselects all rows that are listed.
 */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const {
    caption,
    table: name,
    columns,
    rows,
    rowKey,
    error,
    retry,
    empty,
    footer,
    stale,
    summary,
    whole = false,
    order,
    onRowClick,
    faded,
    selection,
  } = props;
  const nameOf = selection && props.nameOf;
  const { density, setDensity, arrangement, arrange } = useViews(name);
  const [chosen, setSorting] = useState(noSorting);
  const listed = order?.columns;
  const phone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false });
  const scroll = useRef<HTMLDivElement>(null);
  const all = useMemo(
    () =>
      columns.map((column) => ({
        ...column,
        id: idOf(column),
        secondary: arrangement?.shown.includes(idOf(column)) ? false : column.secondary,
      })),
    [columns, arrangement],
  );
  const byId = useMemo(() => new Map(all.map((column) => [column.id, column])), [all]);
  const sorting = order?.sorted ? [order.sorted] : whole ? chosen.filter(({ id }) => byId.has(id)) : noSorting;
  const sortBy = (by: SortedBy | undefined) => {
    const ofApi = by && listed?.[by.id] !== undefined;
    setSorting(by && !ofApi ? [by] : noSorting);
    if (ofApi || order?.sorted) order?.sort(ofApi ? by : undefined);
  };
  const visibility = visibilityOf(all, arrangement);
  const table = useTable<Features, Row>({
    features,
    columns: useMemo(
      () => all.map((column) => columnDef(column, whole || listed?.[column.id] !== undefined)),
      [all, whole, listed],
    ),
    data: rows ?? noRows,
    getRowId: rowKey,
    // The rows of a whole list are sorted here too, as people count: "ci-9" is before "ci-10".
    manualSorting: !whole && !stale,
    state: {
      sorting,
      columnVisibility: visibility,
      columnOrder: orderOf(all, arrangement),
      rowSelection: selection?.state ?? nothingSelected,
    },
    onRowSelectionChange: (change) => selection?.change(change),
    onSortingChange: (change) => sortBy((typeof change === "function" ? change(sorting) : change)[0]),
  });
  const sorted = table.getRowModel().rows;
  const visible = table.getVisibleLeafColumns();
  const valueAt = (row: Row, column: string) => byId.get(column)?.value?.(row);
  const lengthAt = (row: Row, column: string) =>
    byId.get(column)?.lengthOf?.(row) ?? textOf(valueAt(row, column)).length;
  const cells = useCells((row, column) => {
    const found = sorted.find(({ id }) => id === row);
    return found ? textOf(valueAt(found.original, column)) : "";
  });

  /** Returns the columns that are hidden because the screen is narrow. */
  const narrow = () =>
    new Set(
      [...(scroll.current?.querySelectorAll<HTMLElement>("th[data-secondary]") ?? [])]
        .filter((header) => !phone && header.getClientRects().length === 0)
        .map(({ dataset }) => dataset["column"] ?? ""),
    );
  const save = () => {
    const unseen = narrow();
    const seen = visible.flatMap(({ id }) => (byId.get(id)?.value && !unseen.has(id) ? (byId.get(id) ?? []) : []));
    const file = csvOf(
      seen.map(({ header }) => header),
      sorted.map(({ original }) => seen.map(({ value }) => value?.(original))),
    );
    saveFile(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, new Blob([file], { type: "text/csv" }));
  };
  const menu = name !== undefined && (
    <ViewMenu
      choices={table
        .getAllLeafColumns()
        .slice(1)
        .filter(({ columnDef: { meta } }) => !meta?.actions)
        .map(({ id }) => ({
          id,
          header: byId.get(id)?.header ?? id,
          visible: visibility[id] ?? false,
          kept: arrangement?.shown.includes(id) ?? false,
        }))}
      narrow={narrow}
      show={(id, visible_) => arrange(toggled(arrangement, id, visible_))}
      move={(id, by) => arrange(moved(all, arrangement, id, by))}
      density={density}
      setDensity={setDensity}
      sorts={whole ? "all" : order ? "some" : "none"}
      reset={arrangement && (() => arrange(undefined))}
      save={sorted.length > 0 ? save : undefined}
    />
  );

  const virtual = sorted.length > manyRows && !phone;
  useSteadyWidths(scroll, virtual, `${visible.map(({ id }) => id).join()} ${density} ${sorted.length} ${i18n.locale}`);
  const sortable =
    phone && (order || whole) && sorted.length > 1 ? visible.filter((column) => column.getCanSort()) : [];
  const keys = sorted.map(({ id }) => id);
  const checkAll = (label?: string) =>
    selection &&
    nameOf &&
    sorted.length > 0 && (
      <AllCheckbox selection={selection} keys={keys} name={t`Select all: ${caption}`} label={label} />
    );
  const choice = sortable.length > 0 && (
    <SortChoice
      columns={sortable.map(({ id, columnDef: { meta } }) => ({
        id,
        header: byId.get(id)?.header ?? id,
        desc: meta?.align === "right",
      }))}
      sorted={sorting[0]}
      sort={sortBy}
    />
  );

  if (error !== undefined && error !== null && !rows) {
    return (
      <Box className={classes["frame"]}>
        <ErrorState error={error} {...(retry && { retry })} />
      </Box>
    );
  }
  const shared = { rows: sorted, columns: visible, onRowClick, faded, nameOf };
  const checkAllHere = phone && checkAll(t`Select all`);
  return (
    <Box className={classes["frame"]} aria-busy={!rows || stale}>
      {(((menu || choice || checkAllHere) && rows?.length !== 0) || summary) && (
        <div className={classes["bar"]} data-dense={props.dense || undefined}>
          <div className={classes["summary"]}>{summary}</div>
          {checkAllHere}
          {choice}
          {menu}
        </div>
      )}
      {rows?.length === 0 ? (
        empty
      ) : (
        <div
          ref={scroll}
          className={classes["scroll"]}
          tabIndex={0}
          role="region"
          aria-label={caption}
          {...cells.handlers}
        >
          <Table
            className={classes["table"]}
            horizontalSpacing={props.dense ? "xs" : "md"}
            verticalSpacing={density === "compact" ? 4 : 10}
            role="table"
            aria-rowcount={virtual ? sorted.length + 1 : undefined}
            data-density={density}
            data-stale={stale || undefined}
          >
            <caption className={classes["caption"]}>
              <VisuallyHidden>{caption}</VisuallyHidden>
            </caption>
            <Table.Thead role="rowgroup">
              <Table.Tr role="row" aria-rowindex={virtual ? 1 : undefined}>
                {nameOf && (
                  <Table.Th role="columnheader" scope="col" data-selects>
                    {!phone && checkAll()}
                  </Table.Th>
                )}
                {visible.map((column) => (
                  <Header key={column.id} column={column} />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody role="rowgroup">
              {!rows && (
                <SkeletonRows columns={visible} count={props.skeletonRows ?? 8} selects={nameOf !== undefined} />
              )}
              {virtual ? (
                <VirtualRows {...shared} scroll={scroll} estimate={rowHeights[density]} lengthAt={lengthAt} />
              ) : (
                <PlainRows {...shared} />
              )}
            </Table.Tbody>
          </Table>
          {cells.button}
        </div>
      )}
      {footer}
    </Box>
  );
}

const ariaSort = { asc: "ascending", desc: "descending" } as const;
const arrows = { asc: IconArrowUp, desc: IconArrowDown };

function Header<Row extends RowData>({ column }: { column: TableColumn<Features, Row> }) {
  const {
    id,
    columnDef: { header, meta },
  } = column;
  const name = typeof header === "string" ? header : id;
  const direction = column.getIsSorted();
  const Arrow = direction ? arrows[direction] : IconSelector;
  return (
    <Table.Th
      role="columnheader"
      scope="col"
      w={meta?.width}
      ta={meta?.align}
      data-column={id}
      data-secondary={meta?.secondary || undefined}
      data-actions={meta?.actions || undefined}
      aria-sort={direction ? ariaSort[direction] : undefined}
    >
      {column.getCanSort() ? (
        <UnstyledButton
          className={classes["sort"]}
          data-sorted={direction || undefined}
          data-align={meta?.align}
          onClick={() => column.toggleSorting()}
          title={t`Sort by ${name}`}
        >
          {name}
          <Arrow size={13} aria-hidden />
        </UnstyledButton>
      ) : (
        name
      )}
    </Table.Th>
  );
}
