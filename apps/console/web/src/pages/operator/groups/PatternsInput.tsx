import { Badge, Group, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { plural } from "@/format/number";
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
  return (
    <Stack gap={8}>
      <TagsInput
        label="Models" description="Ids, or patterns: * is all, gpt-* all that begin so. Enter adds one." placeholder={value.length === 0 ? "gpt-*" : ""} data={["*", ...ids]} limit={50} value={value}
        onChange={(patterns) => onChange(patterns.map((pattern) => pattern.trim()))} error={error} splitChars={[",", " "]} acceptValueOnBlur clearable
      />
      <div aria-live="polite">
        {models.data && (
          <Text size="sm" c="dimmed" mb={6}>
            {covered.length === 0 ? "No model of the catalog matches." : `${plural(covered.length, "model matches", "models match")}:`}
          </Text>
        )}
        <Group gap={6}>
          {covered.slice(0, shownMost).map((id) => (
            <Badge key={id} color="gray" maw="100%" title={id}>
              {id}
            </Badge>
          ))}
          {covered.length > shownMost && <Text size="sm" c="dimmed">and {covered.length - shownMost} more</Text>}
        </Group>
        {models.data && unused.length > 0 && covered.length > 0 && (
          <Text size="sm" c="var(--tollgate-warn)" mt={6}>
            {unused.join(", ")} {unused.length === 1 ? "matches" : "match"} nothing yet.
          </Text>
        )}
      </div>
    </Stack>
  );
}
