import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Destination } from "./queries";

/** The names of the channels. */
export const channels: Record<Destination["channel"], MessageDescriptor> = {
  mail: msg`Mail`,
  webhook: msg`Webhook`,
  slack: msg`Slack-compatible webhook`,
};
