import { Card, Skeleton } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";

import { lazyPart } from "@/components/lazyPart";
import { ErrorState } from "@/components/states";

import { attributionChoices } from "./attribution";
import type { AttributionProps } from "./AttributionCard";
import { useAttribution } from "./useAttribution";

const AttributionCard = lazyPart(async () => ({ default: (await import("./AttributionCard")).AttributionCard }));

/** Shows usage by end user or tag, or `empty` if no call has an end user or a tag. */
export function Attribution({ empty, ...props }: AttributionProps & { empty?: ReactNode }) {
  const { data, error, refetch } = useAttribution({ from: props.from, to: props.to, tenant_id: props.tenant });
  if (error && !data)
    return (
      <Card>
        <ErrorState error={error} retry={() => void refetch()} />
      </Card>
    );
  if (!data) return null;
  return attributionChoices(data).length === 0 ? empty : <Attributed users={data} {...props} />;
}

/** Shows usage by end user or tag, or nothing if no call has an end user or a tag. `users` is the usage by end user. */
export function Attributed(props: ComponentProps<typeof AttributionCard>) {
  if (attributionChoices(props.users).length === 0) return null;
  return <AttributionCard waiting={<Skeleton h={180} />} {...props} />;
}
