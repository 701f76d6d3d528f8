import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useState, type ReactNode } from "react";

import { Declined } from "@/api/confirmation";
import { newId } from "@/api/newId";
import { messageOf } from "@/api/problem";

import { dialogsReady } from "./modals";

interface Question {
  title: string;
  children: ReactNode;
  /** The label of the button that confirms. */
  confirm: string;
  /** Performs the action. If it fails, the dialog stays open and shows the reason. */
  act: () => Promise<unknown>;
  /** Shows a button that is not red, for actions that are not destructive. */
  harmless?: boolean;
}

/** Opens a dialog. `describe` gets the function that closes it, and one that keeps the user from closing it. */
export function openDialog(
  describe: (close: () => void, hold: (held: boolean) => void) => Parameters<typeof modals.open>[0],
) {
  const modalId = newId();
  const close = () => modals.close(modalId);
  const hold = (held: boolean) =>
    modals.updateModal({
      modalId,
      closeOnEscape: !held,
      closeOnClickOutside: !held,
      closeButtonProps: { disabled: held },
    });
  void dialogsReady().then(() => modals.open({ modalId, ...describe(close, hold) }));
}

/** Asks for confirmation before an action that cannot be undone. */
export function confirm(question: Question) {
  openDialog((close, hold) => ({
    title: question.title,
    children: <Confirmation {...question} close={close} hold={hold} />,
  }));
}

interface ConfirmationProps extends Question {
  close: () => void;
  hold: (held: boolean) => void;
}

function Confirmation({ children, confirm: word, act, harmless, close, hold }: ConfirmationProps) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setPending(true);
    hold(true); // closed, it could not show why the action failed
    setError(undefined);
    try {
      await act();
      close();
    } catch (failure) {
      setError(failure instanceof Declined ? undefined : failure);
      setPending(false);
      hold(false);
    }
  };
  return (
    <Stack>
      {typeof children === "string" ? <Text>{children}</Text> : children}
      {error !== undefined && (
        <Alert color="red" role="alert">
          {messageOf(error)}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close} disabled={pending}>
          <Trans>Cancel</Trans>
        </Button>
        <Button color={harmless ? undefined : "red"} loading={pending} onClick={() => void run()} data-autofocus>
          {word}
        </Button>
      </Group>
    </Stack>
  );
}
