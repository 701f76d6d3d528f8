import { useHover, useWindowScroll } from "@mantine/hooks";
import { useCallback, useState } from "react";

import { api, ask } from "@/api/client";
import type { OrderSearch } from "@/components/table/orderSearch";
import { usePages, useTrail } from "@/components/usePages";

import { isOpen, logQuery, type LogFilters } from "./filters";
import { useLiveLogs } from "./useLiveLogs";

/**
 * Why new logs do not appear by themselves, if they do not: the user has turned it off, the filters match no new ones,
 * the oldest logs are first, an older page is shown, they cannot be read, or the user reads.
 */
export type LiveState = "off" | "ended" | "oldest" | "older" | "failing" | "reading" | "live";

/** Reports whether the user sees new logs by themselves, or will once the reason is gone. */
export const isLive = (state: LiveState) => state === "live" || state === "reading" || state === "failing";

interface LogPages {
  filters: LogFilters;
  order: OrderSearch<"created_at">;
  /** Whether new logs should appear on the first page. */
  wanted: boolean;
}

/** Reads the pages of the logs. */
export function useLogPages({ filters, order, wanted }: LogPages) {
  const key = ["usage-logs", "pages", filters, order];
  const oldest = order.order === "asc";
  const trail = useTrail(key);
  const { ref, hovered } = useHover<HTMLDivElement>();
  const [scroll] = useWindowScroll();
  const [scrolled, setScrolled] = useState(false);
  const onScroll = useCallback((top: number) => setScrolled(top > 0), []);
  const open = isOpen(filters, Date.now());
  const on = wanted && open && !oldest;
  const older = trail.stack.length > 0;
  // New rows would move the row under the pointer, or the text that is being read.
  const reading = hovered || scrolled || scroll.y > 120;
  const live = useLiveLogs(filters, on && !older, reading || older);
  const pages = usePages(
    key,
    (after) =>
      ask(
        api.GET("/api/usage-logs", {
          params: { query: { ...logQuery(filters, Date.now()), ...order, after, limit: 100 } },
        }),
      ),
    { trail, enabled: filters.request === undefined, first: on ? live : undefined },
  );
  const state: LiveState = !wanted
    ? "off"
    : !open
      ? "ended"
      : oldest
        ? "oldest"
        : older
          ? "older"
          : live.error
            ? "failing"
            : reading
              ? "reading"
              : "live";
  return {
    pages,
    state,
    waiting: live.waiting,
    release: () => {
      setScrolled(false);
      live.release();
    },
    ref,
    onScroll,
  };
}
