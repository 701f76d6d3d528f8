import { t } from "@lingui/core/macro";
import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { channelsQuery } from "@/pages/operator/catalog/queries";

import { maxTags, tagsOf } from "./tags";

/** A field for tags of channels. It suggests those that other channels have. */
export function TagsField(props: Omit<TagsInputProps, "data">) {
  const channels = useQuery(channelsQuery);
  return (
    <TagsInput
      data={tagsOf(channels.data?.items ?? [])}
      placeholder={props.value?.length ? undefined : t`Type a tag and press Enter`}
      maxTags={maxTags}
      clearable
      {...props}
    />
  );
}
