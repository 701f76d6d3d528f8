import { t } from "@lingui/core/macro";
import { ActionIcon, Group, NativeSelect } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";

import type { SortedBy } from "./views";

interface SortChoiceProps {
  /** The columns that can sort. `desc` is the direction in which a column sorts first. */
  columns: readonly { id: string; header: string; desc: boolean }[];
  sorted: SortedBy | undefined;
  sort: (by: SortedBy | undefined) => void;
}

/** Sorts a table whose headers are hidden, as on phones. */
export function SortChoice({ columns, sorted, sort }: SortChoiceProps) {
  const choose = (id: string) => {
    const column = columns.find((one) => one.id === id);
    sort(column && { id, desc: column.desc });
  };
  return (
    <Group gap={4} wrap="nowrap" style={{ minWidth: 0, flex: "0 1 auto" }}>
      <NativeSelect
        size="xs"
        aria-label={t`Sort by`}
        value={sorted?.id ?? ""}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[{ value: "", label: t`Not sorted` }, ...columns.map(({ id, header }) => ({ value: id, label: header }))]}
      />
      <ActionIcon
        size={30}
        variant="subtle"
        disabled={!sorted}
        aria-label={sorted?.desc ? t`Sort upward` : t`Sort downward`}
        onClick={() => sorted && sort({ ...sorted, desc: !sorted.desc })}
      >
        {sorted?.desc ? <IconArrowDown size={15} aria-hidden /> : <IconArrowUp size={15} aria-hidden />}
      </ActionIcon>
    </Group>
  );
}
