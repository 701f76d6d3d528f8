import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

interface Page<Row> {
  items: Row[];
  next: string;
}

/**
 * Reads a list with keyset pagination, one page at a time. Each page names the cursor of the next one, and the
 * cursors of the previous pages are remembered for the way back. `key` is the query key, including the filters: if it
 * changes, the first page is shown again.
 */
export function usePages<Row>(key: readonly unknown[], fetchPage: (after: string | undefined) => Promise<Page<Row>>, options?: { refetchInterval?: number | false; enabled?: boolean }) {
  const identity = JSON.stringify(key);
  const [trail, setTrail] = useState<{ of: string; stack: string[] }>({ of: identity, stack: [] });
  // A trail that belongs to other filters is ignored, so the first page is shown as soon as the filters change.
  const stack = trail.of === identity ? trail.stack : [];
  const after = stack.at(-1);
  const query = useQuery({
    queryKey: [...key, { after }],
    queryFn: () => fetchPage(after),
    placeholderData: keepPreviousData,
    ...options,
  });
  const next = query.data?.next;
  return {
    rows: query.data?.items,
    error: query.error,
    retry: () => void query.refetch(),
    stale: query.isPlaceholderData,
    page: stack.length + 1,
    newer: stack.length > 0 ? () => setTrail({ of: identity, stack: stack.slice(0, -1) }) : undefined,
    // While a page loads, `next` still belongs to the previous page.
    older: next && !query.isPlaceholderData ? () => setTrail({ of: identity, stack: [...stack, next] }) : undefined,
  };
}

export type Pages<Row> = ReturnType<typeof usePages<Row>>;
