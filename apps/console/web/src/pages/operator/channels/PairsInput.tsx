import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Input, Stack, TextInput } from "@mantine/core";
import { IconArrowRight, IconPlus, IconX } from "@tabler/icons-react";
import { useId, type ReactNode } from "react";

import { pair, type Pair } from "./channelForm";
import classes from "./PairsInput.module.css";

interface PairsInputProps {
  label: string;
  description?: string;
  error?: ReactNode;
  value?: Pair[];
  onChange: (pairs: Pair[]) => void;
  /** The names of the two sides. */
  sides: [string, string];
  placeholders: [string, string];
  add: string;
  /** Suggestions for the left side. */
  suggestions?: string[];
  /** Copies the left side to the right side when the focus leaves the left side and the right side is empty. */
  copies?: boolean;
}

/** Edits a list of names and values. Rows can be added and removed. */
export function PairsInput({
  label,
  description,
  error,
  value = [],
  onChange,
  sides,
  placeholders,
  add,
  suggestions,
  copies,
}: PairsInputProps) {
  const list = useId();
  const change = (key: string, by: Partial<Pair>) =>
    onChange(value.map((row) => (row.key === key ? { ...row, ...by } : row)));
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error}
      labelElement="div"
      role="group"
      aria-label={label}
    >
      <Stack gap={8} mt={6} mb={error ? 4 : 0}>
        {value.map((row, i) => (
          <div key={row.key} className={classes["row"]}>
            <TextInput
              aria-label={sideLabel(sides[0], i)}
              placeholder={placeholders[0]}
              value={row.name}
              list={suggestions && list}
              maxLength={200}
              onChange={(event) => change(row.key, { name: event.currentTarget.value })}
              onBlur={() => copies && row.name.trim() && !row.value && change(row.key, { value: row.name.trim() })}
            />
            <IconArrowRight size={15} className={classes["arrow"]} aria-hidden />
            <TextInput
              aria-label={sideLabel(sides[1], i)}
              placeholder={placeholders[1]}
              value={row.value}
              onChange={(event) => change(row.key, { value: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={removeLabel(row.name, i)}
              onClick={() => onChange(value.filter(({ key }) => key !== row.key))}
            >
              <IconX size={15} />
            </ActionIcon>
          </div>
        ))}
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...value, pair()])}
        >
          {add}
        </Button>
        {suggestions && (
          <datalist id={list}>
            {suggestions.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

/** Names a field by its side and row. `i` starts at 0. */
function sideLabel(side: string, i: number): string {
  const row = i + 1;
  return t`${side}, row ${row}`;
}

function removeLabel(name: string, i: number): string {
  const row = i + 1;
  return name ? t`Remove row ${row}, ${name}` : t`Remove row ${row}`;
}
