import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { SimpleGrid, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { Stat } from "@/components/Stat";
import { showDecimal, showMillis, showPercent } from "@/format/number";

/** Shows how fast and how reliable a model responded to the requests of the caller's tenant. */
export function Speed({ recent }: { recent: Schema<"RecentSpeed"> | undefined }) {
  if (!recent)
    return (
      <Text c="dimmed">
        <Trans>No recent requests</Trans>
      </Text>
    );
  const { first_token_ms, tokens_per_second, error_rate } = recent;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <Stat
        label={t`Time to first token`}
        value={first_token_ms === null ? "–" : showMillis(first_token_ms)}
        hint={first_token_ms === null ? t`No streamed requests` : t`Median of streamed requests`}
      />
      <Stat
        label={t`Output speed`}
        value={tokens_per_second === null ? "–" : rate(tokens_per_second)}
        hint={tokens_per_second === null ? t`Not measured` : t`Average of streamed requests`}
      />
      <Stat label={t`Error rate`} value={showPercent(error_rate)} hint={t`Requests that failed`} />
    </SimpleGrid>
  );
}

function rate(perSecond: number): string {
  const shown = showDecimal(perSecond, perSecond < 10 ? 1 : 0);
  return t`${shown} tokens/s`;
}
