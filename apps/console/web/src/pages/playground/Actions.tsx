import { t } from "@lingui/core/macro";
import { useDisclosure } from "@mantine/hooks";
import { IconCode, IconColumns2, IconHistory, IconShare2 } from "@tabler/icons-react";

import { Action } from "./Action";
import { HistoryDrawer } from "./HistoryDrawer";
import { ShareLink } from "./ShareLink";
import type { Playground } from "./usePlayground";
import { ViewCode } from "./ViewCode";

interface ActionsProps {
  playground: Playground;
  /** The ids of all models. */
  models: readonly string[];
  base: string;
}

/** The actions on a conversation that is billed to a tenant. */
export function Actions({ playground, models, base }: ActionsProps) {
  const { settings, running, set, history } = playground;
  const [code, codeHandlers] = useDisclosure();
  const [share, shareHandlers] = useDisclosure();
  const [saved, savedHandlers] = useDisclosure();
  const rival = models.find((model) => model !== settings.model);
  return (
    <>
      <Action
        icon={IconHistory}
        label={t`History`}
        onClick={() => {
          history.read();
          savedHandlers.open();
        }}
        disabled={running}
      />
      {!settings.rival && rival !== undefined && (
        <Action icon={IconColumns2} label={t`Compare`} onClick={() => set({ rival })} disabled={running} />
      )}
      <Action icon={IconCode} label={t`View code`} onClick={codeHandlers.open} />
      <Action icon={IconShare2} label={t({ message: "Share", context: "verb" })} onClick={shareHandlers.open} />
      <ViewCode opened={code} close={codeHandlers.close} base={base} state={playground} />
      <ShareLink opened={share} close={shareHandlers.close} settings={settings} />
      <HistoryDrawer opened={saved} close={savedHandlers.close} playground={playground} />
    </>
  );
}
