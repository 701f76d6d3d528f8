import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, TextInput, type TextInputProps } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { Declined } from "@/api/confirmation";
import { messageOf, Problem } from "@/api/problem";

import { useUnsaved } from "./unsaved";

/**
 * Shows the reasons of a refused call at the form fields that they name. Returns the error, to be shown above the
 * form, if one of its reasons names no field of the form; otherwise undefined.
 */
export function applyProblem<Values extends object>(
  form: UseFormReturnType<Values>,
  error: unknown,
  names: Record<string, string> = {},
): unknown {
  if (!(error instanceof Problem) || error.fields.length === 0) return error;
  const known = Object.keys(form.getValues());
  let placed = true;
  for (const { param, message } of error.fields) {
    // Fields of lists and objects are named like models[0] or caps.day; the form field has the first part as its name.
    const root = param.split(/[.[]/)[0] ?? param;
    const field = names[param] ?? names[root] ?? root;
    if (known.includes(field)) form.setFieldError(field, message);
    else placed = false;
  }
  return placed ? undefined : error;
}

interface Sending<Values, Result> {
  act: (values: Values) => Promise<Result>;
  /** Called after `act` succeeded. */
  done: (made: Result, values: Values) => unknown;
  /** Maps names of API fields to names of form fields where they differ. */
  names?: Record<string, string>;
}

/**
 * Submits a form. The reasons of a refusal are shown at the fields that they name; all other errors are returned in
 * `error`. The form's values are not dropped unasked (see useUnsaved).
 */
export function useSubmit<Values extends object, Result>(
  form: UseFormReturnType<Values>,
  { act, done, names }: Sending<Values, Result>,
) {
  const [error, setError] = useState<unknown>();
  useUnsaved(form);
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
  /** Disables the submit button because there is nothing to send. */
  unchanged?: boolean;
  /** The label of the submit button. */
  children: ReactNode;
}

/** Shows the cancel and submit buttons at the end of a form in a dialog. */
export function FormButtons({ cancel, pending, unchanged = false, children }: FormButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={cancel} disabled={pending}>
        <Trans>Cancel</Trans>
      </Button>
      <Button type="submit" loading={pending} disabled={unchanged}>
        {children}
      </Button>
    </Group>
  );
}

/**
 * Shows an error that concerns the form as a whole; nothing if `error` is undefined or null, or if the user declined to
 * confirm.
 */
export function FormError({ error }: { error: unknown }) {
  if (error === undefined || error === null || error instanceof Declined) return null;
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  );
}

/** Reports whether the text is an amount of USD that the API accepts: up to nine digits and up to nine decimals. */
export const isAmount = (text: string) => /^\d{1,9}(\.\d{1,9})?$/.test(text.trim());

/** Returns the reason why a text is not an amount; null if it is one, or if it is empty and not required. */
export function amountFault(text: string, required = false): string | null {
  if (text.trim() === "") return required ? t`Enter an amount, such as 10 or 2.50.` : null;
  return isAmount(text) ? null : t`Enter an amount in USD, such as 10 or 2.50, with at most nine decimals.`;
}

/** A field for an amount of USD. Its value is a decimal string. */
export function AmountInput(props: TextInputProps) {
  return (
    <TextInput
      inputMode="decimal"
      autoComplete="off"
      leftSection="$"
      placeholder="0.00"
      classNames={{ input: "tabular" }}
      {...props}
    />
  );
}
