import { Anchor, Stack, TagsInput, Text, type TagsInputProps } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useMemo } from "react";

import { PermissionList } from "./PermissionList";
import { usePreview } from "./preview";

interface ModelsFieldProps extends Pick<TagsInputProps, "error" | "onBlur" | "onFocus"> {
  value?: string[];
  defaultValue?: string[];
  onChange?: (models: string[]) => void;
  /** The owner of the token; empty means the signed-in user. */
  user: string;
  /** Disables the preview because no owner is chosen yet. */
  unasked?: boolean;
}

/** Edits the models of a token as ids or patterns, with a preview of the models that the token will see. */
export function ModelsField({ value = [], user, unasked, onChange, ...rest }: ModelsFieldProps) {
  const [shown, { toggle }] = useDisclosure(false);
  const all = usePreview([], user, !unasked);
  const [settled] = useDebouncedValue(value, 250);
  const preview = usePreview(settled, user, !unasked);
  const ids = useMemo(() => all.data?.items.filter((model) => model.visible).map((model) => model.id) ?? [], [all.data]);
  const visible = preview.data?.items.filter((model) => model.visible).length;
  return (
    <Stack gap={6}>
      <TagsInput
        label="Models"
        description="None: all that the group permits, now and later. A trailing * stands for any rest."
        placeholder={value.length === 0 ? "All models, or choose: gpt-*" : ""}
        data={ids}
        value={value}
        {...(onChange && { onChange })}
        splitChars={[",", " "]}
        acceptValueOnBlur
        clearable
        maxTags={1000}
        limit={100}
        maxDropdownHeight={240}
        {...rest}
      />
      {!unasked && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {!shown && visible !== undefined && `Sees ${visible} of ${preview.data?.items.length ?? 0} models. `}
          <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={shown}>
            {shown ? "Hide the list" : "Which, and why not the others"}
          </Anchor>
        </Text>
      )}
      {shown && !unasked && <PermissionList models={preview.data?.items} error={preview.error} />}
    </Stack>
  );
}
