import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

type Proposal = Schema<"NewPrices">;

const typed = 400; // ms without a change after which the margins are computed

/** Asks for the margins of new prices. */
export const previewPrices = (proposal: Proposal) => ask(api.POST("/api/operator/prices/preview", { body: proposal }));

/**
 * Reads the margins of new prices while they are edited. undefined: there is nothing to ask for. `fresh` is false while
 * the data belong to an earlier proposal.
 */
export function usePreview(proposal: Proposal | undefined) {
  const text = proposal && JSON.stringify(proposal);
  const [settled] = useDebouncedValue(text, typed);
  const query = useQuery({
    queryKey: ["operator", "price-preview", settled],
    queryFn: () => previewPrices(JSON.parse(settled ?? "") as Proposal),
    enabled: text !== undefined && settled === text,
    placeholderData: text === undefined ? undefined : keepPreviousData,
    retry: false,
  });
  return {
    data: query.data,
    error: query.error,
    fresh: query.data !== undefined && text !== undefined && settled === text && !query.isPlaceholderData,
  };
}
