import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Dimension } from "./query";
import { TopCard } from "./TopCard";
import type { PartProps } from "./view";

const titles: Record<Dimension, MessageDescriptor> = {
  model: msg`Models`,
  token: msg`Tokens`,
  user: msg`Users`,
  tenant: msg`Tenants`,
  channel: msg`Channels`,
};

/** Shows the lists of the view. `operator` adds margins, and the failures of channels. */
export function Tops({ operator, ...props }: PartProps & { operator?: boolean }) {
  return props.view.lists.map((by) => (
    <TopCard
      key={by}
      {...props}
      by={by}
      title={i18n._(titles[by])}
      {...(operator && { margin: true, failures: by === "channel" })}
    />
  ));
}
