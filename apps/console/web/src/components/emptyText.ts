import { t } from "@lingui/core/macro";

import { messageOf } from "@/api/problem";

/** Returns why a select field has no options: they are being read, could not be read, or there are none. */
export function emptyText(
  { isFetching, error }: { isFetching: boolean; error: Error | null },
  none = t`Nothing found`,
): string {
  if (isFetching) return t`Searching…`;
  return error ? messageOf(error) : none;
}
