import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { classes, tools } from "@/components/usage/classes";
import { showCount } from "@/format/number";

type Model = Pick<Schema<"VisibleModel">, "effective" | "effective_tiers" | "effective_service_tiers">;
type Price = Schema<"EffectivePrice">;

/** A column of a price table: the calls to which its prices apply. */
export interface PriceColumn {
  key: string;
  header: string;
  prices: Price[];
}

/**
 * A row of a price table: the price of one class in each column; undefined where the class costs nothing of its own.
 */
export interface PriceRow {
  name: string;
  cells: (string | undefined)[];
}

/**
 * Returns the calls that can have different prices: ordinary ones, those with a long input, and those in a service
 * tier.
 */
export function columnsOf(model: Model): PriceColumn[] {
  const services = model.effective_service_tiers.flatMap(({ name, prices, tiers }) => [
    { key: name, header: t`Service tier ${name}`, prices },
    ...tiers.map(({ above_input, prices: above }) => ({
      key: `${name} ${above_input}`,
      header: longIn(name, above_input),
      prices: above,
    })),
  ]);
  return [
    {
      key: "",
      header: model.effective_tiers.length + services.length > 0 ? t`Standard` : t`Price`,
      prices: model.effective,
    },
    ...model.effective_tiers.map(({ above_input, prices }) => ({
      key: `${above_input}`,
      header: long(above_input),
      prices,
    })),
    ...services,
  ];
}

function long(above: number): string {
  const tokens = showCount(above);
  return t`Above ${tokens} input tokens`;
}

function longIn(service: string, above: number): string {
  const tokens = showCount(above);
  return t`Service tier ${service}, above ${tokens} input tokens`;
}

/** The classes of tokens and the price per request, in reading order. */
const tokenNames = classes.map(({ name }) => name as string);
const toolNames = tools.map(({ name }) => name as string);

/**
 * Returns the rows of the classes of tokens and of the price per request. A class that costs as much as its base class
 * everywhere is left out.
 */
export function tokenRows(columns: readonly PriceColumn[]): PriceRow[] {
  const rows = rowsOf(tokenNames, columns);
  const same = ({ name, cells }: PriceRow) => {
    const base = rows.find((row) => row.name === classes.find((found) => found.name === name)?.base);
    return base !== undefined && cells.every((cell, i) => cell === base.cells[i]);
  };
  return rows.filter((row) => !same(row));
}

/** Returns the prices of tools, which are the same for all calls. */
export const toolRows = (columns: readonly PriceColumn[]) => rowsOf(toolNames, columns.slice(0, 1));

function rowsOf(names: readonly string[], columns: readonly PriceColumn[]): PriceRow[] {
  return names
    .map((name) => ({ name, cells: columns.map(({ prices }) => prices.find((price) => price.class === name)?.price) }))
    .filter(({ cells }) => cells.some((cell) => cell !== undefined));
}
