import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button } from "@mantine/core";

import { setLoadFailed, useLoadFailed } from "@/components/lazyPart";

import classes from "./Shell.module.css";

/** Says that the code of a part could not be loaded, and offers to reload the page. */
export function LoadFailed() {
  if (!useLoadFailed()) return null;
  return (
    <Alert
      className={classes["loadFailed"]}
      color="red"
      role="alert"
      title={t`A part of this page couldn't be loaded`}
      withCloseButton
      closeButtonLabel={t`Close`}
      onClose={() => setLoadFailed(false)}
    >
      <Trans>Tollgate was upgraded while this page was open, or can't be reached.</Trans>
      <Button display="block" mt="xs" variant="default" size="xs" onClick={() => window.location.reload()}>
        <Trans>Reload the page</Trans>
      </Button>
    </Alert>
  );
}
