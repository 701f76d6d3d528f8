import { t } from "@lingui/core/macro";

import { labelOf } from "@/components/usage/classes";
import { labelIn } from "@/pages/operator/catalog/labels";

/**
 * Returns the label of a rate that the API names like "tiers[200000].output", "service_tiers.flex.multiplier" or
 * "tools.web_search".
 */
export function rateLabel(rate: string): string {
  const tool = /^tools\.(.+)$/.exec(rate)?.[1];
  if (tool) return labelOf(tool.replace(".", "_"));
  const [, service = "", above = "0", name = rate] =
    /^(?:service_tiers\.([^.]+)\.)?(?:tiers\[(\d+)\]\.)?(.+)$/.exec(rate) ?? [];
  return labelIn(name === "multiplier" ? t`Multiplier` : labelOf(name), { service, above: Number(above) });
}
