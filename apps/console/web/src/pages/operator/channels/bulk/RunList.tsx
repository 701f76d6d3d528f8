import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Loader, ScrollArea, Stack, Text, Progress as Bar } from "@mantine/core";

import { messageOf } from "@/api/problem";
import { Status } from "@/components/values";

import classes from "./RunList.module.css";
import type { Progress } from "./useRun";

interface RunListProps {
  items: readonly { id: string; name: string }[];
  /** The ids of the items that the filters of the list hide. */
  hidden: ReadonlySet<string>;
  progress: ReadonlyMap<string, Progress>;
}

/** Lists what an action is done with, and what became of each. */
export function RunList({ items, hidden, progress }: RunListProps) {
  return (
    <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars>
      <ul className={classes["list"]} aria-label={t`Channels`}>
        {items.map(({ id, name }) => (
          <li key={id} className={classes["item"]}>
            <div className={classes["name"]}>
              <span>{name}</span>
              {hidden.has(id) && (
                <Badge color="gray" size="sm">
                  <Trans>Hidden by the filters</Trans>
                </Badge>
              )}
            </div>
            <Outcome progress={progress.get(id)} />
          </li>
        ))}
      </ul>
    </ScrollArea.Autosize>
  );
}

function Outcome({ progress }: { progress: Progress | undefined }) {
  switch (progress?.state) {
    case undefined:
      return null;
    case "waiting":
      return (
        <Text component="span" size="sm" c="dimmed">
          <Trans>Waiting</Trans>
        </Text>
      );
    case "running":
      return <Loader size="xs" aria-label={t`Running`} />;
    case "skipped":
      return (
        <Text component="span" size="sm" c="dimmed">
          <Trans>Not started</Trans>
        </Text>
      );
    case "done":
      return <Status value="ok">{progress.text}</Status>;
    case "failed":
      return (
        <Text component="span" size="sm" c="var(--tollgate-bad)" className={classes["reason"]}>
          {messageOf(progress.error)}
        </Text>
      );
  }
}

/** Counts what is done, and what has failed. */
export function RunProgress({ progress, running }: { progress: ReadonlyMap<string, Progress>; running: boolean }) {
  const states = [...progress.values()].map(({ state }) => state);
  const of = (...wanted: Progress["state"][]) => states.filter((state) => wanted.includes(state)).length;
  const [all, ended, failed] = [states.length, of("done", "failed", "skipped"), of("failed")];
  const skipped = of("skipped");
  if (all === 0) return null;
  return (
    <Stack gap={6}>
      {running && <Bar value={(ended / all) * 100} aria-label={t`Progress`} />}
      <Text size="sm" role="status">
        {running ? (
          <Trans>
            {ended} of {all} done
          </Trans>
        ) : failed + skipped === 0 ? (
          plural(all, { one: "# channel succeeded", other: "All # channels succeeded" })
        ) : (
          <>
            {plural(failed, { 0: "", one: "# channel failed.", other: "# channels failed." })}{" "}
            {plural(skipped, { 0: "", one: "# was not started.", other: "# were not started." })}{" "}
            {plural(failed + skipped, { one: "It stays selected.", other: "They stay selected." })}
          </>
        )}
      </Text>
    </Stack>
  );
}
