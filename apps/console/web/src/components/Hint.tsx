import { Tooltip, type TooltipProps } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { cloneElement, type PointerEvent, type ReactElement, type ReactNode, useState } from "react";

import { tooltipDelay } from "@/theme";

interface HintProps extends Pick<TooltipProps, "disabled" | "maw"> {
  label: ReactNode;
  children: ReactElement<{ onPointerEnter: (event: PointerEvent<HTMLElement>) => void; onPointerLeave: () => void }>;
}

/**
 * Shows a label next to its child while the pointer is on it. It is for the cells of lists: a list has hundreds of them,
 * and the tooltip of each is made only when the pointer has been there.
 */
export function Hint({ children, ...tooltip }: HintProps) {
  const [target, setTarget] = useState<HTMLElement>();
  const { start, clear } = useTimeout((element: HTMLElement) => setTarget(element), tooltipDelay);
  return (
    <>
      {cloneElement(children, { onPointerEnter: ({ currentTarget }) => start(currentTarget), onPointerLeave: clear })}
      {target && <Tooltip target={target} defaultOpened {...tooltip} />}
    </>
  );
}
