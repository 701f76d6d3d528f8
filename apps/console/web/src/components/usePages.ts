import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

interface Page<Row> {
  items: Row[];
  next: string;
}

/** A first page that is read elsewhere, such as one to which new rows are added. */
interface FirstPage<Row> {
  page: { rows: Row[]; next: string } | undefined;
  error: unknown;
  retry: () => void;
}

interface PagesOptions<Row> {
  refetchInterval?: number | false;
  enabled?: boolean;
  /** Which page is shown, if the caller must know it before. */
  trail?: Trail;
  first?: FirstPage<Row> | undefined;
}

/**
 * The cursors of the pages from the second to the one that is shown, and a function that returns one that goes to
 * others.
 */
export interface Trail {
  stack: string[];
  go: (stack: string[]) => () => void;
}

/** Remembers which page of a list is shown. If `key` changes, it is the first one again. */
export function useTrail(key: readonly unknown[]): Trail {
  const identity = JSON.stringify(key);
  const [trail, setTrail] = useState<{ of: string; stack: string[] }>({ of: identity, stack: [] });
  // A trail that belongs to other filters is ignored, so the first page is shown as soon as the filters change.
  return { stack: trail.of === identity ? trail.stack : [], go: (stack) => () => setTrail({ of: identity, stack }) };
}

/**
 * Reads a list with keyset pagination, one page at a time. Each page names the cursor of the next one, and the
 * cursors of the previous pages are remembered for the way back. `key` is the query key, including the filters: if it
 * changes, the first page is shown again.
 */
export function usePages<Row>(
  key: readonly unknown[],
  fetchPage: (after: string | undefined) => Promise<Page<Row>>,
  { first, trail, enabled = true, ...options }: PagesOptions<Row> = {},
) {
  const own = useTrail(key);
  const { stack, go } = trail ?? own;
  const after = stack.at(-1);
  const given = after === undefined ? first : undefined;
  const query = useQuery({
    queryKey: [...key, { after }],
    queryFn: () => fetchPage(after),
    placeholderData: keepPreviousData,
    enabled: enabled && !given,
    ...options,
  });
  const loading = !given && (query.isPlaceholderData || (query.data === undefined && first?.page !== undefined));
  const next = given ? given.page?.next : query.data?.next;
  return {
    rows: given ? given.page?.rows : (query.data?.items ?? (query.error ? undefined : first?.page?.rows)),
    error: given ? given.error : query.error,
    retry: given ? given.retry : () => void query.refetch(),
    stale: loading,
    page: stack.length + 1,
    /** Whether the rows are the whole list. */
    whole: stack.length === 0 && next === "" && !loading,
    newer: stack.length > 0 ? go(stack.slice(0, -1)) : undefined,
    // While a page loads, `next` still belongs to the previous page.
    older: next && !loading ? go([...stack, next]) : undefined,
    /** Goes back to the first page. */
    newest: go([]),
  };
}

export type Pages<Row> = ReturnType<typeof usePages<Row>>;
