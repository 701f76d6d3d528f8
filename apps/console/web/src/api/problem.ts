import { t } from "@lingui/core/macro";

import type { Schema } from "@tollgate/client/console";

/**
 * Represents a refused or failed call of the API. Its fields are those of the console's problem documents (RFC 9457).
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly fields: readonly { param: string; message: string }[];

  constructor(status: number, body: Partial<Schema<"Error">> | undefined) {
    super(body?.detail ?? textOf(status));
    this.name = "Problem"; // not translated: the name of the class
    this.status = status;
    this.code = body?.code ?? "unreachable";
    this.param = body?.param;
    this.fields = body?.errors ?? (body?.param ? [{ param: body.param, message: this.message }] : []);
  }
}

function textOf(status: number): string {
  return status === 0
    ? t`Can't reach the console. Check your connection and try again.`
    : t`The console answered with status ${status}.`;
}

/** Returns the text of any failure for display to the user. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  return error instanceof TypeError ? textOf(0) : String(error instanceof Error ? error.message : error);
}

/** Reports whether the failure is a Problem with one of the HTTP statuses. */
export function hasStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof Problem && statuses.includes(error.status);
}
