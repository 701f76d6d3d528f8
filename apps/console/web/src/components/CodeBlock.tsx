import { t } from "@lingui/core/macro";
import { ActionIcon, Box, CopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";

import classes from "./CodeBlock.module.css";

/** Shows a block of code with a copy button. `children` is the code with colors, if there are any. */
export function CodeBlock({
  code,
  label = t`code`,
  wrap,
  children = code,
}: {
  code: string;
  label?: string;
  wrap?: boolean;
  children?: ReactNode;
}) {
  return (
    <Box className={classes["frame"]}>
      <pre className={classes["code"]} data-wrap={wrap || undefined} tabIndex={0} aria-label={label}>
        <code>{children}</code>
      </pre>
      <CopyButton value={code} timeout={1500}>
        {({ copied, copy }) => (
          <ActionIcon
            className={classes["copy"]}
            variant="default"
            onClick={copy}
            aria-label={t`Copy ${label}`}
            title={copied ? t`Copied` : t`Copy`}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Box>
  );
}
