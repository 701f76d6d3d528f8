import { t } from "@lingui/core/macro";
import { CloseButton, Group, Text } from "@mantine/core";
import { useState } from "react";

import { confirm } from "@/components/confirm";
import { SegmentedControl } from "@/components/SegmentedControl";
import { showUsd, sumUsd } from "@/format/money";
import { showDecimal, showMillis } from "@/format/number";

import { speed, type Turn } from "./conversation";
import { ConversationView } from "./ConversationView";
import classes from "./Playground.module.css";
import { settingsFor, type Playground } from "./usePlayground";

/** Shows the conversation, or those with two models side by side. On a phone, one of the two is shown at a time. */
export function Columns({ playground, ready, note }: { playground: Playground; ready: boolean; note: string }) {
  const [shown, setShown] = useState("0");
  const { columns, settings } = playground;
  if (columns.length === 1)
    return <ConversationView playground={playground} column={0} ready={ready} note={note} label={t`Conversation`} />;
  return (
    <>
      <div className={classes["choice"]}>
        <SegmentedControl
          fullWidth
          aria-label={t`Shown model`}
          value={shown}
          onChange={setShown}
          data={columns.map((_, i) => ({ value: String(i), label: settingsFor(settings, i).model }))}
        />
      </div>
      <div className={classes["columns"]}>
        {columns.map((turns, i) => (
          <section
            key={i}
            className={classes["one"]}
            data-shown={String(i) === shown || undefined}
            aria-label={settingsFor(settings, i).model}
          >
            <ColumnHeader playground={playground} column={i} turns={turns} />
            <ConversationView
              playground={playground}
              column={i}
              ready={ready}
              note={note}
              label={conversationWith(settingsFor(settings, i).model)}
            />
          </section>
        ))}
      </div>
    </>
  );
}

const conversationWith = (model: string) => t`Conversation with ${model}`;

function ColumnHeader({ playground, column, turns }: { playground: Playground; column: number; turns: Turn[] }) {
  const { settings, set, running } = playground;
  const { model } = settingsFor(settings, column);
  const close = () => {
    // The other column stays, with its model.
    const act = async () => (column === 0 ? playground.keepSecond() : set({ rival: "" }));
    if (turns.some((turn) => turn.role === "assistant" && turn.receipt))
      confirm({
        title: t`Remove this column?`,
        children: t`The answers of ${model} in this conversation are deleted.`,
        confirm: t`Remove`,
        act,
      });
    else void act();
  };
  return (
    <header className={classes["columnHeader"]}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} truncate className="mono" title={model}>
          {model}
        </Text>
        <CloseButton size="sm" aria-label={t`Remove the column of ${model}`} disabled={running} onClick={close} />
      </Group>
      <Figures turns={turns} />
    </header>
  );
}

/** Shows the sum of the costs in a column, and the speed of its last answer. */
function Figures({ turns }: { turns: Turn[] }) {
  const receipts = turns.flatMap((turn) => (turn.role === "assistant" && turn.receipt ? [turn.receipt] : []));
  const last = receipts.at(-1);
  const rate = last && speed(last);
  const figures = [
    {
      label: t`Cost`,
      value: receipts.length > 0 ? showUsd(sumUsd(receipts.map(({ quota = "0" }) => quota))) : undefined,
    },
    { label: t`First token`, value: last?.firstToken === undefined ? undefined : showMillis(last.firstToken) },
    { label: t`Tokens/s`, value: rate === undefined ? undefined : showDecimal(rate, rate < 100 ? 1 : 0) },
    { label: t`Total time`, value: last && showMillis(last.total) },
  ];
  return (
    <dl className={classes["figures"]}>
      {figures.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value ?? <span aria-label={t`None`}>–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
