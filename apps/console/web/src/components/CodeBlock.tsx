import { ActionIcon, Box, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import classes from "./CodeBlock.module.css";

/** Shows a block of code with a copy button. */
export function CodeBlock({ code, label = "code", wrap }: { code: string; label?: string; wrap?: boolean }) {
  return (
    <Box className={classes["frame"]}>
      <pre className={classes["code"]} data-wrap={wrap || undefined} tabIndex={0} aria-label={label}>
        <code>{code}</code>
      </pre>
      <CopyButton value={code} timeout={1500}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon className={classes["copy"]} variant="default" onClick={copy} aria-label={`Copy ${label}`}>
              {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Box>
  );
}
