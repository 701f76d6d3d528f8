import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";

import { showUsd } from "@/format/money";

import style from "./Changes.module.css";
import type { Change } from "./rates";

/** Shows how a version of a price differs from the previous version. */
export function Changes({ changes }: { changes: Change[] }) {
  return (
    <ul className={style["changes"]}>
      {changes.map(({ name, label, before, after, direction, percent, factor }) => (
        <li key={name} className={style["change"]}>
          <span className={style["label"]}>{label}</span>
          {before !== undefined && (
            <s className={`tabular ${style["before"]}`}>
              <VisuallyHidden>
                <Trans>from</Trans>{" "}
              </VisuallyHidden>
              {factor ? before : showUsd(before)}
            </s>
          )}
          <span className="tabular">
            {after === undefined ? (factor ? t`none` : t`no own price`) : factor ? after : showUsd(after)}
          </span>
          <span className={direction === "up" ? style["up"] : style["down"]}>
            {direction === "up" ? (
              <IconArrowUp size={13} aria-label={t`up`} />
            ) : (
              <IconArrowDown size={13} aria-label={t`down`} />
            )}{" "}
            {percent}
          </span>
        </li>
      ))}
    </ul>
  );
}
