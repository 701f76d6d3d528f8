import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

const labels: Record<Schema<"RoutedTo">["reason"], MessageDescriptor> = {
  kept: msg`Same dialect`,
  translated: msg`Translated`,
  cheapest: msg`Cheapest`,
  trial: msg`Half-open`,
  cooling: msg`Cooling down`,
  no_credential: msg`No credential`,
  not_ready: msg`Not ready`,
  disabled: msg`Disabled`,
  model_not_served: msg`Model not served`,
  lacks_stream: msg`No streaming`,
  lacks_tools: msg`No tools`,
  lacks_vision: msg`No images`,
  lacks_structured_output: msg`No structured output`,
  lacks_endpoint: msg`No such endpoint`,
  refuses_unpriced: msg`Needs a price`,
};

/**
 * Returns the label of the reason why a channel is tried or not. A reason that another release of the API has is its
 * own label.
 */
export const reasonLabel = (reason: string): string =>
  Object.hasOwn(labels, reason) ? i18n._(labels[reason as keyof typeof labels]) : reason;
