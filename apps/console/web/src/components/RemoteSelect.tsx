import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { messageOf } from "@/api/problem";

import { emptyText } from "./emptyText";

interface Named {
  id: string;
  name: string;
}

interface RemoteSelectProps extends Omit<SelectProps, "data" | "value" | "onChange"> {
  /** Identifies the kind of objects in the query cache. */
  kind: string;
  search: (text: string) => Promise<Named[]>;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/**
 * A select field for lists that are too long to load. The API searches the typed text; the selected object is found
 * by its id.
 */
export function RemoteSelect({ kind, search, value, onChange, ...rest }: RemoteSelectProps) {
  const [typed, setTyped] = useState("");
  const [opened, setOpened] = useState(false);
  const [text] = useDebouncedValue(typed, 200);
  const chosen = useQuery({
    queryKey: ["choice", kind, value],
    queryFn: async () => (await search(value ?? "")).find(({ id }) => id === value) ?? null,
    enabled: value !== undefined,
    staleTime: 300_000,
  });
  const chosenName = chosen.data?.name;
  // Mantine puts the name of the selected object into the search field. That is not a search.
  const asked = text === chosenName ? "" : text;
  const found = useQuery({
    queryKey: ["choices", kind, asked],
    queryFn: () => search(asked),
    enabled: opened,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const options = new Map((found.data ?? []).map(({ id, name }) => [id, name]));
  // The selected object must be among the options even if the search did not find it.
  if (value !== undefined) options.set(value, chosenName ?? options.get(value) ?? value.slice(-8));
  // With the selected object among the options, nothingFoundMessage is never shown.
  const failure = value !== undefined && found.error && !found.isFetching ? messageOf(found.error) : undefined;
  return (
    <Select
      searchable
      clearable
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      filter={({ options: all }) => all}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpened(true)}
      nothingFoundMessage={emptyText(found)}
      maxDropdownHeight={280}
      comboboxProps={{ shadow: "md" }}
      {...rest}
      error={failure ?? rest.error}
    />
  );
}
