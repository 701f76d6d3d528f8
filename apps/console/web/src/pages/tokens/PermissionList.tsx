import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import { useState } from "react";

import { SearchInput } from "@/components/SearchInput";
import { ErrorState } from "@/components/states";
import { plural } from "@/format/number";

import classes from "./PermissionList.module.css";
import { reasonText, type TokenModel } from "./preview";

interface PermissionListProps {
  models: TokenModel[] | undefined;
  error: unknown;
  /** The maximum number of models to show. The search finds the others. */
  most?: number;
}

/** Lists the models that a token sees, and the reasons why it does not see the others. */
export function PermissionList({ models, error, most = 100 }: PermissionListProps) {
  const [search, setSearch] = useState("");
  if (error) return <ErrorState error={error} title="The models cannot be told" />;
  if (!models) return <Skeleton h={90} />;
  const visible = models.filter((model) => model.visible).length;
  const found = models.filter((model) => model.id.toLowerCase().includes(search.toLowerCase())).toSorted((a, b) => Number(b.visible) - Number(a.visible));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" aria-live="polite">
          {visible === models.length ? `Sees all ${plural(models.length, "model")}` : `Sees ${visible} of ${plural(models.length, "model")}`}
        </Text>
        {models.length > 12 && <SearchInput label="Search these models" value={search} onSearch={setSearch} />}
      </Group>
      {found.length > 0 && (
        <ul className={classes["list"]} tabIndex={0} aria-label="Models">
          {found.slice(0, most).map((model) => (
            <li key={model.id} className={classes["model"]} data-hidden={!model.visible || undefined}>
              {model.visible ? <IconCheck size={15} className={classes["yes"]} aria-label="Visible:" /> : <IconMinus size={15} aria-label="Not visible:" />}
              <span className={classes["id"]}>{model.id}</span>
              <span className={classes["why"]}>{reasonText(model.reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {found.length > most && <Text size="sm" c="dimmed">And {plural(found.length - most, "more", "more")}: search to find them.</Text>}
      {models.length === 0 && <Text size="sm" c="dimmed">The group permits no model that there is.</Text>}
    </Stack>
  );
}
