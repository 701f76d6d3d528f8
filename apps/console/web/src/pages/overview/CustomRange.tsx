import { t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { useState } from "react";

import { lazyPart } from "@/components/lazyPart";
import { betweenName } from "@/components/usage/rangeNames";

import type { PartProps } from "./view";

const RangeDialog = lazyPart(async () => ({ default: (await import("./RangeDialog")).RangeDialog }));

/** A button that names the time that the user has chosen, and asks for another one. */
export function CustomRange({ view: { range, span }, set }: Pick<PartProps, "view" | "set">) {
  const [asking, setAsking] = useState<boolean>();
  const close = () => setAsking(false);
  return (
    <>
      <Button size="compact-sm" h={34} variant={range ? "default" : "light"} onClick={() => setAsking(true)}>
        {range ? t`Custom` : betweenName(span.from, span.to)}
      </Button>
      {asking !== undefined && (
        <RangeDialog opened={asking} close={close} span={span} set={set} use={asking} failed={close} />
      )}
    </>
  );
}
