import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { showCount } from "@/format/number";
import { coversAny, unusedPatterns } from "@/pages/operator/catalog/patterns";
import { modelsQuery } from "@/pages/operator/catalog/queries";

interface PatternsInputProps {
  value: string[];
  onChange: (patterns: string[]) => void;
  error?: ReactNode;
}

const shownMost = 40;

/** A field for the models that a group may call. It previews which models the patterns cover. */
export function PatternsInput({ value, onChange, error }: PatternsInputProps) {
  const models = useQuery(modelsQuery);
  const ids = models.data?.items.map(({ id }) => id) ?? [];
  const covered = ids.filter((id) => coversAny(value, id));
  const unused = unusedPatterns(value, ids);
  const matching = covered.length;
  const more = showCount(covered.length - shownMost);
  const patterns = unused.join(", ");
  return (
    <Stack gap={8}>
      <TagsInput
        label={t`Models`}
        description={t`Model IDs, or patterns with * as a wildcard (gpt-*). Press Enter to add one.`}
        placeholder={value.length === 0 ? "gpt-*" : ""} // not translated: ids of models
        data={["*", ...ids]}
        limit={50}
        value={value}
        onChange={(patterns) => onChange(patterns.map((pattern) => pattern.trim()))}
        error={error}
        splitChars={[",", " "]}
        acceptValueOnBlur
        clearable
      />
      <div aria-live="polite">
        {models.data && (
          <Text size="sm" c="dimmed" mb={6}>
            {plural(matching, { 0: "No models match.", one: "# model matches:", other: "# models match:" })}
          </Text>
        )}
        <Group gap={6}>
          {covered.slice(0, shownMost).map((id) => (
            <Badge key={id} color="gray" maw="100%" title={id}>
              {id}
            </Badge>
          ))}
          {covered.length > shownMost && (
            <Text size="sm" c="dimmed">
              <Trans>and {more} more</Trans>
            </Text>
          )}
        </Group>
        {models.data && unused.length > 0 && covered.length > 0 && (
          <Text size="sm" c="var(--tollgate-warn)" mt={6}>
            <Trans>No match yet: {patterns}</Trans>
          </Text>
        )}
      </div>
    </Stack>
  );
}
