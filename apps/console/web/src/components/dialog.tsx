import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Button,
  Drawer as PlainDrawer,
  type DrawerProps,
  Group,
  Modal as PlainModal,
  type ModalProps,
  Stack,
  Text,
} from "@mantine/core";
import { type ReactNode, useState } from "react";

import { anyRunning, anyUnsaved, FormsOfDialog } from "./unsaved";

const above = 300; // the z-index: the question opens over its dialog

/**
 * A modal that asks before it drops the values of a form within it, or stops work that runs in it. Buttons that call `onClose` of the page do not ask.
 */
export function Modal({ onClose, closeOnEscape = true, ...props }: ModalProps) {
  const { forms, asking, close, question } = useGuard(onClose);
  return (
    <Guarded forms={forms} question={question}>
      <PlainModal {...props} onClose={close} closeOnEscape={closeOnEscape && !asking} />
    </Guarded>
  );
}

/** A drawer that asks before it drops the values of a form within it. */
export function Drawer({ onClose, closeOnEscape = true, ...props }: DrawerProps) {
  const { forms, asking, close, question } = useGuard(onClose);
  return (
    <Guarded forms={forms} question={question}>
      <PlainDrawer {...props} onClose={close} closeOnEscape={closeOnEscape && !asking} />
    </Guarded>
  );
}

function Guarded({
  forms,
  question,
  children,
}: {
  forms: Set<() => boolean>;
  question: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <FormsOfDialog value={forms}>{children}</FormsOfDialog>
      {question}
    </>
  );
}

function useGuard(onClose: () => void) {
  const [forms] = useState(() => new Set<() => boolean>());
  const [asking, setAsking] = useState(false);
  const [running, setRunning] = useState(false);
  // The dialog and the question both listen for Escape. A change of `asking` waits until both have seen the key.
  const ask = (whether: boolean) => setTimeout(() => setAsking(whether));
  const close = () => {
    if (!anyUnsaved(forms)) return onClose();
    setRunning(anyRunning(forms));
    ask(true);
  };
  const keep = () => ask(false);
  const discard = () => {
    setAsking(false);
    onClose();
  };
  const question = (
    <PlainModal
      opened={asking}
      onClose={keep}
      title={running ? t`Stop now?` : t`Discard your changes?`}
      zIndex={above}
      size="sm"
    >
      <Stack>
        <Text>
          {running ? (
            <Trans>What has begun is completed. The rest is not started.</Trans>
          ) : (
            <Trans>What you entered is not saved.</Trans>
          )}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={keep} data-autofocus>
            {running ? <Trans>Continue</Trans> : <Trans>Keep editing</Trans>}
          </Button>
          <Button color="red" onClick={discard}>
            {running ? <Trans>Stop</Trans> : <Trans>Discard changes</Trans>}
          </Button>
        </Group>
      </Stack>
    </PlainModal>
  );
  return { forms, asking, close, question };
}
