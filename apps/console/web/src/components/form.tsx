import { Alert, Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { messageOf, Problem } from "@/api/problem";

/**
 * Puts a refused call's reasons at the fields that they name. What names no field of the form is returned, to be
 * shown above it.
 */
export function applyProblem<Values extends object>(form: UseFormReturnType<Values>, error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof Problem) || error.fields.length === 0) return error;
  const known = Object.keys(form.getValues());
  let placed = true;
  for (const { param, message } of error.fields) {
    const root = param.split(/[.[]/)[0] ?? param;
    const field = names[param] ?? names[root] ?? root;
    if (known.includes(field)) form.setFieldError(field, message);
    else placed = false;
  }
  return placed ? undefined : error;
}

interface Sending<Values, Result> {
  act: (values: Values) => Promise<Result>;
  /** Follows where `act` went well. */
  done: (made: Result, values: Values) => unknown;
  /** Fields of the form by the API's names for them, where these differ. */
  names?: Record<string, string>;
}

/** Sends a form. What it is refused for stands at its fields, or in `error`. */
export function useSubmit<Values extends object, Result>(form: UseFormReturnType<Values>, { act, done, names }: Sending<Values, Result>) {
  const [error, setError] = useState<unknown>();
  const { mutate, isPending } = useMutation({
    mutationFn: act,
    onError: (failure) => setError(applyProblem(form, failure, names)),
    onSuccess: done,
  });
  const submit = form.onSubmit((values) => {
    setError(undefined);
    mutate(values);
  });
  return { submit, pending: isPending, error };
}

interface FormButtonsProps {
  cancel: () => void;
  pending: boolean;
  /** There is nothing to send. */
  unchanged?: boolean;
  /** The word on the button that sends. */
  children: ReactNode;
}

/** The end of a form in a dialog. */
export function FormButtons({ cancel, pending, unchanged = false, children }: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={cancel} disabled={pending}>
        Cancel
      </Button>
      <Button type="submit" loading={pending} disabled={unchanged}>
        {children}
      </Button>
    </Group>
  );
}

/** What went wrong with a form as a whole; nothing where `error` is undefined. */
export function FormError({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null;
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  );
}

/** Whether the text is an amount of USD that the API takes. */
export const isAmount = (text: string) => /^\d{1,9}(\.\d{1,9})?$/.test(text.trim());

/** Says why a text is no amount; null where it is one, or where it is empty and may be. */
export function amountFault(text: string, required = false): string | null {
  if (text.trim() === "") return required ? "Enter an amount, such as 10 or 2.50." : null;
  return isAmount(text) ? null : "Enter an amount of USD such as 10 or 2.50, with at most nine decimals.";
}

/** A field for an amount of USD. Its value is a decimal string. */
export function AmountInput(props: TextInputProps) {
  return <TextInput inputMode="decimal" autoComplete="off" leftSection="$" placeholder="0.00" classNames={{ input: "tabular" }} {...props} />;
}
