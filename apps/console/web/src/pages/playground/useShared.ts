import { t } from "@lingui/core/macro";
import { getRouteApi, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { sharedIn } from "./link";
import type { Playground } from "./usePlayground";

const route = getRouteApi("/signed-in/playground");

/** A sentence about the link with which the user came. */
export interface Notice {
  text: string;
  color: "blue" | "yellow";
}

/**
 * Takes the settings of a shared link, or the model of a link such as /playground?model=gpt-5, and removes them from
 * the address: a reload keeps what the user has changed since. Returns the sentence to show, and a function that
 * removes it.
 */
export function useShared({ begin, set }: Playground, models: readonly string[]): [Notice | undefined, () => void] {
  const { model } = route.useSearch();
  const navigate = useNavigate();
  const [notice, setNotice] = useState<Notice>();
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    const shared = sharedIn(hash);
    if (model === undefined && !shared) return;
    void navigate({ to: "/playground", replace: true });
    if (shared?.settings) {
      begin(shared.settings);
      const missing = [shared.settings.model, shared.settings.rival].find((one) => one !== "" && !models.includes(one));
      setNotice(
        missing === undefined ? { color: "blue", text: t`These are the settings of the link.` } : unavailable(missing),
      );
    } else if (shared) setNotice({ color: "yellow", text: shared.fault });
    else if (model !== undefined && models.includes(model)) set({ model });
    else if (model !== undefined) setNotice(unavailable(model));
  }, [model, hash]);
  return [notice, () => setNotice(undefined)];
}

const unavailable = (model: string): Notice => ({
  color: "yellow",
  text: t`The model ${model} of the link is not available to you.`,
});
