import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, VisuallyHidden } from "@mantine/core";

import type { Schema } from "@/api/client";
import { showUsd } from "@/format/money";

import { Actions } from "./Actions";
import { callModel } from "./call";
import { Layout, Spent } from "./Layout";
import classes from "./Playground.module.css";
import { ModelFields, SettingsPanel } from "./SettingsPanel";
import { useBounds } from "./useBounds";
import { usePlayground } from "./usePlayground";
import { useShared } from "./useShared";

type Model = Schema<"VisibleModel">;

/** Shows the conversation, the field for the next message and the settings next to them. */
export function Workbench({ userId, base, models }: { userId: string; base: string; models: Model[] }) {
  const ids = models.map((model) => model.id);
  const playground = usePlayground({ key: `tollgate.playground.${userId}`, historyOf: userId, call: callModel }, ids);
  const { settings, set } = playground;
  const [notice, dismiss] = useShared(playground, ids);
  return (
    <Layout
      playground={playground}
      spent={<Spent playground={playground} before={<Cost usd={playground.spent.usd} />} />}
      actions={<Actions playground={playground} models={ids} base={base} />}
      notice={
        notice && (
          <Alert
            className={classes["notice"]}
            color={notice.color}
            role="status"
            withCloseButton
            closeButtonLabel={t`Close`}
            onClose={dismiss}
          >
            {notice.text}
          </Alert>
        )
      }
      note={t`Requests are charged like any other. The cost of each is shown below its answer.`}
      noModel={t`Your group has no models yet.`}
      bounds={useBounds(playground, models)}
      settings={
        <SettingsPanel settings={settings} set={set} responses>
          <ModelFields settings={settings} set={set} models={models} />
        </SettingsPanel>
      }
    />
  );
}

const Cost = ({ usd }: { usd: string }) => (
  <>
    <VisuallyHidden>
      <Trans>Spent in this conversation:</Trans>{" "}
    </VisuallyHidden>
    <b>{showUsd(usd)}</b> ·{" "}
  </>
);
