import "@/mantine-later.css";
import "@mantine/spotlight/styles.layer.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { useIdentity } from "@/api/session";

import { commandGroups, type PaletteCommand, usePaletteData } from "./commandGroups";

interface PaletteProps {
  opened: boolean;
  close: () => void;
  showShortcuts: () => void;
}

const typed = 200; // ms without a key after which the lists are searched

/** Finds pages, tokens, models and requests, and for operators tenants and channels, and opens the chosen one. */
export default function Palette({ opened, close, showShortcuts }: PaletteProps) {
  const { role } = useIdentity().user;
  const navigate = useNavigate();
  const [[store, spotlight]] = useState(createSpotlight);
  const [query, setQuery] = useState("");
  const [searched] = useDebouncedValue(query.trim(), typed);
  const { data, loading } = usePaletteData(role, searched, opened);
  useEffect(() => (opened ? spotlight.open() : spotlight.close()), [opened, spotlight]);
  const run = (command: PaletteCommand) => {
    if ("shortcuts" in command.opens) setTimeout(showShortcuts);
    else if ("document" in command.opens) window.location.assign(command.opens.document);
    else if ("tab" in command.opens) window.open(command.opens.tab, "_blank", "noreferrer");
    else void navigate(command.opens);
  };
  const groups = commandGroups(role, query.trim(), data);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      onSpotlightClose={close}
      scrollable
      maxHeight={420}
      attributes={{ content: { "aria-label": t`Command palette`, "data-command": "" } }}
    >
      <Spotlight.Search
        aria-label={t`Search pages, tokens, models and requests`}
        placeholder={t`Search, or paste a request ID`}
        leftSection={<IconSearch size={18} stroke={1.7} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ label, commands }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {commands.map((command) => {
              const Icon = command.icon;
              return (
                <Spotlight.Action
                  key={command.key}
                  label={command.label}
                  {...(command.description && { description: command.description })}
                  leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
                  onClick={() => run(command)}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty>
            {loading || searched !== query.trim() ? <Trans>Searching…</Trans> : <Trans>Nothing found</Trans>}
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
