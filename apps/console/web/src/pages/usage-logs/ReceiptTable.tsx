import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { labelOf, perMillion, unitOf } from "@/components/usage/classes";
import { parseUsd, showUsd } from "@/format/money";
import { showCount } from "@/format/number";

import { chargesOf, multiply, same, showExact } from "./receipt";
import classes from "./ReceiptTable.module.css";

type Detail = Schema<"UsageLogDetail">;

/** Shows the calculation of a charge line by line with all decimals. */
export function ReceiptTable({ log }: { log: Detail }) {
  const { receipt } = log;
  if (!receipt)
    return (
      <Text c="dimmed">
        {log.outcome === "failed" ? (
          <Trans>Nothing was charged.</Trans>
        ) : (
          <Trans>The model is free: nothing was charged.</Trans>
        )}
      </Text>
    );
  // If a call cost more than was left of the quota, only the rest of the quota is deducted.
  const capped = parseUsd(log.quota) < parseUsd(log.cost);
  return (
    <Lines label={t`How it was computed`}>
      <Calculation receipt={receipt} multiplier={(factor) => t`Group multiplier × ${factor}`} />
      {capped && <Result name={t`Cost`} amount={showUsd(log.cost)} ruled />}
      {capped && (
        <Result
          name={t`Not deducted: more than the quota left`}
          amount={showUsd(parseUsd(log.quota) - parseUsd(log.cost))}
        />
      )}
      <Result name={t`Quota deducted`} amount={showUsd(log.quota)} ruled strong />
    </Lines>
  );
}

/** Shows what suppliers charge for a call, line by line, and what is left of the quota. For operators. */
export function SupplierTable({ log }: { log: Detail }) {
  const { supplier_receipt: receipt, supplier_cost: cost } = log;
  const charges = chargesOf(log);
  const margin = cost === undefined ? 0n : parseUsd(log.quota) - parseUsd(cost);
  return (
    <Lines label={t`What suppliers charge`}>
      {receipt && <Calculation receipt={receipt} multiplier={(factor) => t`Cost factor × ${factor}`} />}
      {charges.map(({ name, amount }) => (
        <Result key={name} name={name} amount={showUsd(amount)} />
      ))}
      {cost === undefined ? (
        <Result
          name={t`The cost of the request is not known: a channel that charged for it has no costs for the model.`}
          amount="–"
          ruled
        />
      ) : (
        <Result name={t`Suppliers’ cost`} amount={showUsd(cost)} ruled strong />
      )}
      {cost !== undefined && <Result name={t`Margin`} amount={showUsd(margin)} strong />}
    </Lines>
  );
}

function Lines({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Table
      className={classes["receipt"]}
      withRowBorders={false}
      horizontalSpacing={0}
      verticalSpacing={5}
      aria-label={label}
    >
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

/** Shows the lines of a receipt, their sum and its product with the multiplier. */
function Calculation({ receipt, multiplier }: { receipt: Schema<"Receipt">; multiplier: (factor: string) => string }) {
  const { service_tier: tier, above_input: above } = receipt;
  const tokens = showCount(above ?? 0);
  const product = multiply(receipt.subtotal, receipt.multiplier);
  return (
    <>
      {tier && <Result name={t`Prices of service tier ${tier}`} amount="" />}
      {above && <Result name={t`Prices for more than ${tokens} input tokens`} amount="" />}
      {receipt.lines.map((line) => (
        <ReceiptLine key={line.class} line={line} />
      ))}
      {receipt.lines.length === 0 && <Result name={t`Nothing with a price`} amount="$0.00" />}
      <Result name={t`Subtotal`} amount={showExact(receipt.subtotal)} ruled />
      <Result name={multiplier(receipt.multiplier)} amount={showExact(product)} />
      {!same(product, receipt.total) && (
        <Result name={t`Rounded half up to a nano-dollar`} amount={showExact(receipt.total)} />
      )}
    </>
  );
}

function ReceiptLine({ line }: { line: Schema<"Line"> }) {
  const unit = unitOf(line.class);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {labelOf(line.class)}
      </Table.Th>
      <Table.Td ta="right" className={classes["factors"]}>
        {showCount(line.quantity)} × {showUsd(line.rate)}
        {unit && <span className={classes["unit"]}> / {perMillion(line.class) ? "1M" : unit}</span>}
      </Table.Td>
      <Table.Td ta="right">{showExact(line.amount)}</Table.Td>
    </Table.Tr>
  );
}

function Result({ name, amount, ruled, strong }: { name: string; amount: string; ruled?: boolean; strong?: boolean }) {
  return (
    <Table.Tr data-ruled={ruled || undefined} data-strong={strong || undefined}>
      <Table.Th scope="row" colSpan={2} fw={strong ? 600 : 400}>
        {name}
      </Table.Th>
      <Table.Td ta="right">{amount}</Table.Td>
    </Table.Tr>
  );
}
