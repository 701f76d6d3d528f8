import { Badge } from "@mantine/core";

import { AnchorLink } from "@/components/links";
import { showUsd } from "@/format/money";
import { showCount, showMillis } from "@/format/number";

import { speed, type Receipt } from "./conversation";
import classes from "./Playground.module.css";

/** Shows the cost, the token counts and the speed of a call, with a link to its usage log. */
export function ReceiptLine({ receipt }: { receipt: Receipt }) {
  const { quota, input, cached, output, reasoning, firstToken, total, requestId, model } = receipt;
  const perSecond = speed(receipt);
  return (
    <div className={classes["receipt"]}>
      <Badge color="gray" size="sm" ff="monospace" maw={200} title={model}>
        {model}
      </Badge>
      {quota !== undefined && <b>{showUsd(quota)}</b>}
      {input !== undefined && (
        <span>
          {showCount(input)} in{cached ? ` (${showCount(cached)} cached)` : ""}
        </span>
      )}
      {output !== undefined && (
        <span>
          {showCount(output)} out{reasoning ? ` (${showCount(reasoning)} reasoning)` : ""}
        </span>
      )}
      {firstToken !== undefined && <span>first token {showMillis(firstToken)}</span>}
      {perSecond !== undefined && <span>{perSecond.toFixed(1)} tokens/s</span>}
      <span>{showMillis(total)} in all</span>
      {requestId && (
        <AnchorLink to="/usage-logs" search={{ log: requestId }} size="xs" title={requestId}>
          Usage log
        </AnchorLink>
      )}
    </div>
  );
}
