import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Card, Checkbox, Group, ScrollArea, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconDownload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { several } from "@/api/several";
import { FormError } from "@/components/form";
import { SearchInput } from "@/components/SearchInput";
import type { Channel } from "@/pages/operator/catalog/queries";
import { offersQuery } from "@/pages/operator/price-catalog/queries";

import type { ChannelValues } from "./channelForm";
import { providerOf } from "./offers";
import { sourceOf, withModels, type Found } from "./upstreamModels";

interface UpstreamModelsProps {
  form: UseFormReturnType<ChannelValues>;
  /** The channel to edit; undefined for a new channel. */
  existing: Channel | undefined;
  /** The ids of the models that exist; undefined if they are not known. */
  models: readonly string[] | undefined;
}

/** Reads the models that the upstream lists, and adds rows for those that the operator chooses. */
export function UpstreamModels({ form, existing, models }: UpstreamModelsProps) {
  const fetched = useMutation({
    mutationFn: () => ask(api.POST("/api/operator/channels/models", { body: sourceOf(existing, form.getValues()) })),
  });
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<IconDownload size={14} />}
        loading={fetched.isPending}
        onClick={() => fetched.mutate()}
      >
        <Trans>Fetch models</Trans>
      </Button>
      <FormError error={fetched.error} />
      {fetched.data && !fetched.isPending && (
        <Picker form={form} listed={fetched.data} models={models} creates={!existing} close={() => fetched.reset()} />
      )}
    </Stack>
  );
}

/** The most models that are shown at a time. */
const maxShown = 100;

function Picker({
  form,
  listed,
  models,
  creates,
  close,
}: Pick<UpstreamModelsProps, "form" | "models"> & {
  listed: Schema<"ListedModels">;
  /** Whether models of the price catalog are created with the channel. */
  creates: boolean;
  close: () => void;
}) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const present = new Set(form.values.models.map(({ value }) => value.trim()));
  const all = listed.items.map(({ id }) => id);
  const matching = all.filter((id) => id.toLowerCase().includes(search.toLowerCase()));
  const addable = matching.filter((id) => !present.has(id));
  const complete = addable.length > 0 && addable.every((id) => chosen.includes(id));
  const toggleAll = () =>
    setChosen(complete ? chosen.filter((id) => !addable.includes(id)) : [...new Set([...chosen, ...addable])]);
  const find = useFind(providerOf(form.values));
  const add = useMutation({
    mutationFn: () => find(creates && models ? chosen.filter((id) => !models.includes(id)) : []),
    onSuccess: (found) => {
      form.setValues(withModels(form.getValues(), chosen, found));
      form.clearFieldError("models");
      close();
    },
  });
  const count = chosen.length;
  const hidden = matching.length - maxShown;
  return (
    <Card withBorder padding="sm" role="group" aria-label={t`Models of the upstream`}>
      <Stack gap="sm">
        <Text size="sm">
          {plural(all.length, {
            0: "The upstream lists no models.",
            one: "The upstream lists # model.",
            other: "The upstream lists # models.",
          })}{" "}
          {listed.truncated && <Trans>It has more: add the others by hand.</Trans>}
        </Text>
        {all.length > 10 && (
          <SearchInput label={t`Search models of the upstream`} value={search} onSearch={setSearch} />
        )}
        {addable.length > 1 && (
          <Checkbox
            checked={complete}
            indeterminate={!complete && addable.some((id) => chosen.includes(id))}
            onChange={toggleAll}
            disabled={add.isPending}
            label={plural(addable.length, { one: "Select # model", other: "Select all # models" })}
          />
        )}
        <ScrollArea.Autosize mah={300} type="auto" offsetScrollbars>
          <Checkbox.Group value={[...chosen]} onChange={setChosen} aria-label={t`Models to add`}>
            <Stack gap={8}>
              {matching.slice(0, maxShown).map((id) => (
                <Checkbox
                  key={id}
                  value={id}
                  disabled={present.has(id) || add.isPending}
                  label={
                    <Group gap="xs">
                      <span className="mono">{id}</span>
                      <Mark present={present.has(id)} missing={models !== undefined && !models.includes(id)} />
                    </Group>
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
        {hidden > 0 && (
          <Text size="xs" c="dimmed">
            {plural(hidden, {
              one: "# more model is not shown. Search to find it.",
              other: "# more models are not shown. Search to find them.",
            })}
          </Text>
        )}
        <FormError error={add.error} />
        <Group gap="xs" justify="flex-end">
          <Button variant="default" size="xs" disabled={add.isPending} onClick={close}>
            <Trans>Close</Trans>
          </Button>
          <Button size="xs" disabled={count === 0} loading={add.isPending} onClick={() => add.mutate()}>
            {plural(count, { 0: "Add models", one: "Add # model", other: "Add # models" })}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function Mark({ present, missing }: { present: boolean; missing: boolean }) {
  if (present)
    return (
      <Badge color="gray" size="sm">
        <Trans>Already added</Trans>
      </Badge>
    );
  return missing ? (
    <Badge color="yellow" size="sm">
      <Trans>Not in the catalog</Trans>
    </Badge>
  ) : null;
}

/**
 * Returns a function that finds models in the price catalog, preferably those of the provider. It leaves out models that
 * are not there, and those that several other providers have.
 */
function useFind(provider: string) {
  const client = useQueryClient();
  return async (ids: readonly string[]): Promise<Map<string, Found>> => {
    const found = await several(ids, async (id) => {
      const { items, sha256 } = await client.fetchQuery(offersQuery(id));
      const entry = items.find((one) => one.provider === provider) ?? (items.length === 1 ? items[0] : undefined);
      return entry ? ([[id, { entry, sha256 }]] as const) : [];
    });
    return new Map(found.flat());
  };
}
