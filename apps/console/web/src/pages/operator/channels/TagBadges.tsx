import { Badge, Group } from "@mantine/core";

/** Shows the tags of a channel; nothing without tags. */
export function TagBadges({ tags }: { tags: readonly string[] }) {
  return (
    tags.length > 0 && (
      <Group component="span" gap={4} display="inline-flex">
        {tags.map((tag) => (
          <Badge key={tag} variant="outline" color="gray" size="sm" tt="none" maw="100%" title={tag}>
            {tag}
          </Badge>
        ))}
      </Group>
    )
  );
}
