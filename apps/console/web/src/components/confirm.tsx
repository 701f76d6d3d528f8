import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useState, type ReactNode } from "react";

import { messageOf } from "@/api/problem";

interface Question {
  title: string;
  children: ReactNode;
  /** The word on the button that does it. */
  confirm: string;
  /** Does it; where it fails the reason is shown and nothing closes. */
  act: () => Promise<unknown>;
  /** Not destructive: the button is not red. */
  harmless?: boolean;
}

/** Asks before something that cannot be taken back. */
export function confirm(question: Question) {
  const id = modals.open({
    title: question.title,
    children: <Confirmation {...question} close={() => modals.close(id)} />,
  });
}

function Confirmation({ children, confirm: word, act, harmless, close }: Question & { close: () => void }) {
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async () => {
    setPending(true);
    setError(undefined);
    try {
      await act();
      close();
    } catch (failure) {
      setError(failure);
      setPending(false);
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
          Cancel
        </Button>
        <Button color={harmless ? undefined : "red"} loading={pending} onClick={() => void run()} data-autofocus>
          {word}
        </Button>
      </Group>
    </Stack>
  );
}
