import { plural, t } from "@lingui/core/macro";
import { Button } from "@mantine/core";
import { IconAdjustments, IconPlayerPlay, IconPlayerStop, IconPower, IconTag } from "@tabler/icons-react";
import { type RefObject, useState } from "react";

import { SelectionBar } from "@/components/table/SelectionBar";
import { type Selection, withSelected } from "@/components/table/useSelection";
import type { Channel } from "@/pages/operator/catalog/queries";

import { type ActionName, affectedBy } from "./actions";
import { type Bulk, BulkDialog } from "./BulkDialog";

interface ChannelSelectionProps {
  selection: Selection;
  /** All channels. */
  all: readonly Channel[];
  /** Those that the filters show. */
  shown: readonly Channel[];
  /** Gets the focus when the selection is cleared. */
  after: RefObject<HTMLInputElement | null>;
}

/** The bar of the selected channels, with the actions for them. */
export function ChannelSelection({ selection, all, shown, after }: ChannelSelectionProps) {
  const [bulk, setBulk] = useState<Bulk>();
  const [count, setCount] = useState(0);
  const selected = all.filter(({ id }) => selection.state[id]);
  const inSight = new Set(shown.map(({ id }) => id));
  const hidden = selected.filter(({ id }) => !inSight.has(id)).map(({ id }) => id);
  const leave = () => setTimeout(() => after.current?.focus(), focusReturns);
  const open = (action: ActionName) => {
    setCount(count + 1);
    setBulk({ key: count, action, channels: selected, hidden: new Set(hidden) });
  };
  const close = (done: readonly string[]) => {
    setBulk(undefined);
    selection.change((state) => withSelected(state, done, false));
    if (selected.every(({ id }) => done.includes(id))) leave();
  };
  return (
    <>
      <SelectionBar
        selection={selection}
        selected={selected.map(({ id }) => id)}
        hidden={hidden}
        label={plural(selected.length, { one: "# channel selected", other: "# channels selected" })}
        cleared={leave}
      >
        {buttons().map(({ action, label, icon: Icon }) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            leftSection={<Icon size={14} aria-hidden />}
            disabled={affectedBy(action, selected).length === 0}
            onClick={() => open(action)}
          >
            {label}
          </Button>
        ))}
      </SelectionBar>
      <BulkDialog bulk={bulk} all={all} close={close} />
    </>
  );
}

const focusReturns = 30; // ms; a dialog returns the focus after 10 ms, to a button that may be gone

const buttons = (): { action: ActionName; label: string; icon: typeof IconPower }[] => [
  { action: "test", label: t`Test`, icon: IconPlayerPlay },
  { action: "enable", label: t`Enable`, icon: IconPower },
  { action: "disable", label: t`Disable`, icon: IconPlayerStop },
  { action: "weigh", label: t`Set priority and weight`, icon: IconAdjustments },
  { action: "tag", label: t`Edit tags`, icon: IconTag },
];
