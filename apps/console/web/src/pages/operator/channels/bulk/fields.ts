import { t } from "@lingui/core/macro";

import type { Channel } from "@/pages/operator/catalog/queries";
import { tagsFault } from "@/pages/operator/channels/tags";

import { type ActionName, patchChannel, tagChannel, testChannel } from "./actions";

/** The values of the form of an action. Numbers that are not entered are "". */
export interface Values {
  priority: number | string;
  weight: number | string;
  add: string[];
  remove: string[];
}

export const noValues: Values = { priority: "", weight: "", add: [], remove: [] };

/** Reports whether the action needs values. */
export const hasFields = (action: ActionName) => action === "weigh" || action === "tag";

const maxNumber = 1_000_000;

const isWhole = (value: number | string, min: number) =>
  value === "" || (typeof value === "number" && Number.isInteger(value) && value >= min && value <= maxNumber);

/** Returns what is wrong with the values, by field; nothing for actions without fields. */
export function faultsOf(action: ActionName, { priority, weight, add, remove }: Values): Record<string, string> {
  if (action === "weigh") {
    if (priority === "" && weight === "") return { weight: t`Enter a priority, a weight or both.` };
    return {
      ...(!isWhole(priority, -maxNumber) && { priority: t`Enter a whole number.` }),
      ...(!isWhole(weight, 1) && { weight: t`Enter a whole number of at least 1.` }),
    };
  }
  if (action !== "tag") return {};
  if (add.length + remove.length === 0) return { add: t`Enter tags to add or to remove.` };
  const fault = tagsFault(add);
  if (fault) return { add: fault };
  return remove.some((tag) => add.includes(tag)) ? { remove: t`A tag can't be added and removed.` } : {};
}

/** Does the action with one channel. Returns a short result. */
export function actOn(channel: Channel, action: ActionName, values: Values): Promise<string> {
  switch (action) {
    case "test":
      return testChannel(channel);
    case "enable":
      return patchChannel(channel, { status: "enabled" });
    case "disable":
      return patchChannel(channel, { status: "disabled" });
    case "weigh":
      return patchChannel(channel, {
        ...(typeof values.priority === "number" && { priority: values.priority }),
        ...(typeof values.weight === "number" && { weight: values.weight }),
      });
    case "tag":
      return tagChannel(channel, values);
  }
}
