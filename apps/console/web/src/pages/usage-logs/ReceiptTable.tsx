import { Table, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { labelOf } from "@/components/usage/classes";
import { parseUsd, showUsd } from "@/format/money";
import { showCount } from "@/format/number";

import { multiply, same, showExact } from "./receipt";
import classes from "./ReceiptTable.module.css";

/** Shows the calculation of a charge line by line with all decimals. */
export function ReceiptTable({ log }: { log: Schema<"UsageLogDetail"> }) {
  const { receipt } = log;
  if (!receipt) return <Text c="dimmed">{log.outcome === "failed" ? "Nothing was charged." : "The model is free: nothing was charged."}</Text>;
  const product = multiply(receipt.subtotal, receipt.multiplier);
  // If a call cost more than was left of the quota, only the rest of the quota is deducted.
  const capped = parseUsd(log.quota) < parseUsd(log.cost);
  return (
    <Table className={classes["receipt"]} withRowBorders={false} horizontalSpacing={0} verticalSpacing={5}>
      <Table.Tbody>
        {receipt.above_input && <Result name={`Prices for more than ${showCount(receipt.above_input)} input tokens`} amount="" />}
        {receipt.lines.map((line) => <ReceiptLine key={line.class} line={line} />)}
        {receipt.lines.length === 0 && <Result name="No tokens of a class that has a price" amount="$0.00" />}
        <Result name="Sum" amount={showExact(receipt.subtotal)} ruled />
        <Result name={`Multiplier of the group × ${receipt.multiplier}`} amount={showExact(product)} />
        {!same(product, receipt.total) && <Result name="Rounded half up to a nano-dollar" amount={showExact(receipt.total)} />}
        {capped && <Result name="Cost" amount={showUsd(log.cost)} ruled />}
        {capped && <Result name="Beyond the quota that was left" amount={showUsd(parseUsd(log.quota) - parseUsd(log.cost))} />}
        <Result name="Quota deducted" amount={showUsd(log.quota)} ruled strong />
      </Table.Tbody>
    </Table>
  );
}

function ReceiptLine({ line }: { line: Schema<"Line"> }) {
  const perRequest = line.class === "request";
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>{labelOf(line.class)}</Table.Th>
      <Table.Td ta="right" className={classes["factors"]}>
        {showCount(line.quantity)} × {showUsd(line.rate)}{!perRequest && <span className={classes["unit"]}> / 1M</span>}
      </Table.Td>
      <Table.Td ta="right">{showExact(line.amount)}</Table.Td>
    </Table.Tr>
  );
}

function Result({ name, amount, ruled, strong }: { name: string; amount: string; ruled?: boolean; strong?: boolean }) {
  return (
    <Table.Tr data-ruled={ruled || undefined} data-strong={strong || undefined}>
      <Table.Th scope="row" colSpan={2} fw={strong ? 600 : 400}>{name}</Table.Th>
      <Table.Td ta="right">{amount}</Table.Td>
    </Table.Tr>
  );
}
