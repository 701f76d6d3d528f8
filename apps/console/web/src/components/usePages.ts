import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

interface Page<Row> {
  items: Row[];
  next: string;
}

/**
 * Keyset pages of a list, one at a time: each page names the one that follows, and the way back is remembered.
 * `key` is the query's key with its filters; where it changes, the first page is shown again.
 */
export function usePages<Row>(key: readonly unknown[], fetchPage: (after: string | undefined) => Promise<Page<Row>>, options?: { refetchInterval?: number | false; enabled?: boolean }) {
  const identity = JSON.stringify(key);
  const [trail, setTrail] = useState<{ of: string; stack: string[] }>({ of: identity, stack: [] });
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
    older: next && !query.isPlaceholderData ? () => setTrail({ of: identity, stack: [...stack, next] }) : undefined,
  };
}

export type Pages<Row> = ReturnType<typeof usePages<Row>>;
