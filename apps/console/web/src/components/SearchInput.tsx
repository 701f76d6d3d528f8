import { t } from "@lingui/core/macro";
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";

import { isTokenValue } from "@/api/tokenValue";

import { isComposing, useTyped } from "./typed";

/**
 * A search field that calls `onSearch` 250 ms after the last keystroke. The value of a token, which must not get into an
 * address, is removed from the field and passed to `onTokenValue` instead, if there is one.
 */
export function SearchInput({
  value,
  onSearch,
  onTokenValue,
  label,
  maxLength = 200,
}: {
  value: string;
  onSearch: (text: string) => void;
  onTokenValue?: (value: string) => void;
  label: string;
  maxLength?: number;
}) {
  const { typed: text, setTyped: setText, setReported } = useTyped(value);
  const report = useDebouncedCallback((next: string) => {
    if (isTokenValue(next)) {
      setText(value);
      onTokenValue?.(next);
      return;
    }
    setReported(next);
    onSearch(next);
  }, 250);
  const change = (next: string) => {
    setText(next);
    report(next.trim());
  };
  // Enter would send the form around the field. It stays for input methods, whose composition it ends.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !isComposing(event)) event.preventDefault();
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      maxLength={maxLength}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text && <CloseButton size="sm" aria-label={t`Clear search`} onClick={() => change("")} />}
      w={{ base: "100%", sm: 260 }}
    />
  );
}
