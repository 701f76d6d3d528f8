import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

/** A search field that tells what was typed once the typing pauses. */
export function SearchInput({ value, onSearch, label, maxLength = 200 }: { value: string; onSearch: (text: string) => void; label: string; maxLength?: number }) {
  const [text, setText] = useState(value);
  const [seen, setSeen] = useState(value);
  const [told, setTold] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== told) setText(value); // it was changed elsewhere, such as by "show all"
  }
  const tell = useDebouncedCallback((next: string) => {
    setTold(next);
    onSearch(next);
  }, 250);
  const change = (next: string) => {
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={maxLength}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => change("")} />}
      w={{ base: "100%", sm: 260 }}
    />
  );
}
