import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@mantine/core";

import { AnchorLink } from "@/components/links";
import { showUsd } from "@/format/money";
import { showCount, showDecimal, showMillis } from "@/format/number";

import { speed, type Receipt } from "./conversation";
import classes from "./Playground.module.css";

/** Shows the cost, the token counts and the speed of a call, with a link to its usage log. */
export function ReceiptLine({ receipt }: { receipt: Receipt }) {
  const { quota, firstToken, requestId, model } = receipt;
  const perSecond = speed(receipt);
  const total = showMillis(receipt.total);
  return (
    <div className={classes["receipt"]}>
      <Badge color="gray" size="sm" ff="monospace" maw={200} title={model}>
        {model}
      </Badge>
      {quota !== undefined && <b>{showUsd(quota)}</b>}
      {receipt.input !== undefined && <span>{inputText(receipt.input, receipt.cached)}</span>}
      {receipt.output !== undefined && <span>{outputText(receipt.output, receipt.reasoning)}</span>}
      {firstToken !== undefined && <span>{firstTokenText(firstToken)}</span>}
      {perSecond !== undefined && <span>{speedText(perSecond)}</span>}
      <span>
        <Trans>{total} total</Trans>
      </span>
      {requestId && (
        <AnchorLink to="/usage-logs" search={{ log: requestId }} size="xs" title={requestId}>
          <Trans>Usage log</Trans>
        </AnchorLink>
      )}
    </div>
  );
}

function inputText(count: number, cachedCount: number | undefined): string {
  const input = showCount(count);
  if (!cachedCount) return t`${input} in`;
  const cached = showCount(cachedCount);
  return t`${input} in (${cached} cached)`;
}

function outputText(count: number, reasoningCount: number | undefined): string {
  const output = showCount(count);
  if (!reasoningCount) return t`${output} out`;
  const reasoning = showCount(reasoningCount);
  return t`${output} out (${reasoning} reasoning)`;
}

function firstTokenText(ms: number): string {
  const time = showMillis(ms);
  return t`first token ${time}`;
}

function speedText(perSecond: number): string {
  const rate = showDecimal(perSecond, perSecond < 100 ? 1 : 0);
  return t`${rate} tokens/s`;
}
