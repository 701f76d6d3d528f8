import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import type { Column } from "@/components/DataTable";
import { Usd } from "@/components/values";
import { parseUsd } from "@/format/money";

import { QuotaUse } from "./QuotaUse";

type Quota = Schema<"Quota">;

const nano = (amount: string | null) => (amount === null ? undefined : parseUsd(amount));

/**
 * Returns the columns of a list of things with a quota: what is left, and, for those who add them, what was granted and
 * used.
 */
export function quotaColumns<Row>(
  quotaOf: (row: Row) => Quota,
  label: (row: Row) => string,
  layout: Pick<Column<Row>, "width"> = {},
): Column<Row>[] {
  return [
    {
      id: "quota",
      header: t`Quota`,
      ...layout,
      value: (row) => quotaOf(row).left,
      sortBy: (row) => nano(quotaOf(row).left),
      cell: (row) => <QuotaUse quota={quotaOf(row)} label={label(row)} />,
    },
    {
      id: "granted",
      header: t`Granted`,
      align: "right",
      optional: true,
      value: (row) => quotaOf(row).granted,
      sortBy: (row) => nano(quotaOf(row).granted),
      cell: (row) => <Usd amount={quotaOf(row).granted} />,
    },
    {
      id: "used",
      header: t`Used`,
      align: "right",
      optional: true,
      value: (row) => quotaOf(row).used,
      sortBy: (row) => nano(quotaOf(row).used),
      cell: (row) => <Usd amount={quotaOf(row).used} />,
    },
  ];
}
