import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@mantine/core";

import { AnchorLink } from "@/components/links";
import { showUsd } from "@/format/money";
import { showCount, showDecimal, showMillis } from "@/format/number";

import { type ChannelCall, speed, type Receipt } from "./conversation";
import classes from "./Playground.module.css";

/** Shows the cost, the token counts and the speed of a call, with a link to its usage log. */
export function ReceiptLine({ receipt }: { receipt: Receipt }) {
  const { quota, firstToken, requestId, model, on } = receipt;
  const perSecond = speed(receipt);
  const total = showMillis(receipt.total);
  return (
    <div className={classes["receipt"]}>
      <Badge color="gray" size="sm" ff="monospace" maw={200} title={model}>
        {model}
      </Badge>
      {on && <OnChannel call={on} price={quota} />}
      {!on && quota !== undefined && <b>{showUsd(quota)}</b>}
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

/** Shows the channel of a call, the status of its upstream, and what the call costs whom. */
function OnChannel({ call: { channel, status, cost }, price }: { call: ChannelCall; price: string | undefined }) {
  return (
    <>
      <span>{channel}</span>
      {status !== undefined && <span>{status > 0 ? t`status ${status}` : t`no response`}</span>}
      {price !== undefined && <span title={t`By the current price of the model`}>{priceText(price)}</span>}
      {cost !== undefined && <b title={t`What the provider charges`}>{costText(cost)}</b>}
    </>
  );
}

function priceText(usd: string): string {
  const price = showUsd(usd);
  return t`price ${price}`;
}

function costText(usd: string): string {
  const cost = showUsd(usd);
  return t`cost ${cost}`;
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
