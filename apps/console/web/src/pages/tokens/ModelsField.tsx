import { t } from "@lingui/core/macro";
import { Anchor, Stack, TagsInput, Text, type TagsInputProps } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useMemo } from "react";

import { PermissionList } from "./PermissionList";
import { usableText, usePreview } from "./preview";

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
  const ids = useMemo(
    () => all.data?.items.filter((model) => model.visible).map((model) => model.id) ?? [],
    [all.data],
  );
  return (
    <Stack gap={6}>
      <TagsInput
        label={t`Models`}
        description={t`Leave empty to allow all models of the group, also future ones. Use * as a wildcard (gpt-*).`}
        placeholder={value.length === 0 ? t`All models` : ""}
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
          {!shown && preview.data && `${usableText(preview.data.items)} `}
          <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={shown}>
            {shown ? t`Hide models` : t`See allowed models`}
          </Anchor>
        </Text>
      )}
      {shown && !unasked && <PermissionList models={preview.data?.items} error={preview.error} />}
    </Stack>
  );
}
