import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import { useState } from "react";

import { SearchInput } from "@/components/SearchInput";
import { ErrorState } from "@/components/states";

import classes from "./PermissionList.module.css";
import { reasonText, type TokenModel, usableText } from "./preview";

interface PermissionListProps {
  models: TokenModel[] | undefined;
  error: unknown;
  /** The maximum number of models to show. The search finds the others. */
  most?: number;
}

/** Lists the models that a token sees, and the reasons why it does not see the others. */
export function PermissionList({ models, error, most = 100 }: PermissionListProps) {
  const [search, setSearch] = useState("");
  if (error) return <ErrorState error={error} title={t`Couldn't load the models`} />;
  if (!models) return <Skeleton h={90} />;
  const found = models
    .filter((model) => model.id.toLowerCase().includes(search.toLowerCase()))
    .toSorted((a, b) => Number(b.visible) - Number(a.visible));
  const hidden = found.length - most;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" aria-live="polite">
          {usableText(models)}
        </Text>
        {models.length > 12 && <SearchInput label={t`Search models`} value={search} onSearch={setSearch} />}
      </Group>
      {found.length > 0 && (
        <ul className={classes["list"]} tabIndex={0} aria-label={t`Models`}>
          {found.slice(0, most).map((model) => (
            <li key={model.id} className={classes["model"]} data-hidden={!model.visible || undefined}>
              {model.visible ? (
                <IconCheck size={15} className={classes["yes"]} aria-label={t`Allowed:`} />
              ) : (
                <IconMinus size={15} aria-label={t`Not allowed:`} />
              )}
              <span className={classes["id"]}>{model.id}</span>
              <span className={classes["why"]}>{reasonText(model.reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <Text size="sm" c="dimmed">
          {plural(hidden, {
            one: "# more model. Use the search to find it.",
            other: "# more models. Use the search to find them.",
          })}
        </Text>
      )}
      {models.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No models are set up yet.</Trans>
        </Text>
      )}
    </Stack>
  );
}
