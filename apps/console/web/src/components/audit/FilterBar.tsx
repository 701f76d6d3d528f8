import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Group, Select, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { searchTenants, searchTokens, searchUsers } from "@/api/names";
import { type Identity, isOperator, useIdentity } from "@/api/session";
import { isTokenValue } from "@/api/tokenValue";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SearchInput } from "@/components/SearchInput";
import { timeZone } from "@/format/timeZone";
import { TimeFilter } from "@/pages/usage-logs/TimeFilter";

import { actionChoices } from "./actions";
import { type AuditFilters, isFiltered } from "./filters";

interface FilterBarProps<Filters extends AuditFilters> {
  filters: Filters;
  set: (change: AuditFilters) => void;
  clear: () => void;
  /** More filters. */
  children?: ReactNode;
}

/**
 * Returns what was typed as a choice, so that programs and resources that no search finds can be chosen. A choice is
 * in the address of the page, which must not have the value of a token.
 */
const typed = (text: string) => (text && !isTokenValue(text) ? [{ id: text, name: text }] : []);

async function searchActors(identity: Identity, text: string) {
  const people = await searchUsers(identity, text);
  const found = people.map(({ name }) => ({ id: name, name }));
  return found.some(({ id }) => id === text) ? found : [...found, ...typed(text)];
}

async function searchResources(identity: Identity, text: string) {
  const lists = await Promise.all([
    isOperator(identity) && !isTokenValue(text) ? searchTenants(text, 8) : searchTokens(text, 12),
    searchUsers(identity, text, 8),
  ]);
  const found = lists.flat();
  return found.some(({ id }) => id === text) ? found : [...found, ...typed(text)];
}

const wide = { base: "100%", xs: 170 };

/** The filters of an audit log. */
export function FilterBar<Filters extends AuditFilters>({ filters, set, clear, children }: FilterBarProps<Filters>) {
  const identity = useIdentity();
  const of = isOperator(identity) ? "platform" : "tenant";
  const zone = timeZone();
  return (
    <>
      <Group gap="xs" role="search" aria-label={t`Filters`}>
        <TimeFilter value={{ span: filters.span, from: filters.from, to: filters.to }} onChange={set} />
        <RemoteSelect
          kind="audit-actors"
          aria-label={t`Actor`}
          placeholder={t`Anyone`}
          search={(text) => searchActors(identity, text)}
          w={wide}
          value={filters.actor}
          onChange={(actor) => set({ actor })}
        />
        <Select
          aria-label={t`Action`}
          placeholder={t`All actions`}
          searchable
          clearable
          w={wide}
          data={actionChoices(of)}
          value={filters.action ?? null}
          onChange={(action) => set({ action: action ?? undefined })}
          nothingFoundMessage={t`Nothing found`}
        />
        <RemoteSelect
          kind={`audit-resources-${of}`}
          aria-label={t`Resource`}
          placeholder={t`All resources`}
          search={(text) => searchResources(identity, text)}
          w={wide}
          value={filters.target}
          onChange={(target) => set({ target })}
        />
        {children}
        <SearchInput
          label={t`IP address`}
          value={filters.address ?? ""}
          maxLength={50}
          onSearch={(address) => set({ address: address || undefined })}
        />
        {isFiltered(filters) && (
          <Anchor component="button" type="button" size="sm" onClick={clear}>
            <Trans>Clear filters</Trans>
          </Anchor>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        <Trans>Times are in your time zone, {zone}.</Trans>
      </Text>
    </>
  );
}
