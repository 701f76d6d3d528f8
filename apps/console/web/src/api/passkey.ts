import { t } from "@lingui/core/macro";

/**
 * Creates and requests passkeys. Options and credentials are in the JSON format of Web Authentication Level 3, which
 * the browser parses and writes.
 */

/** The text to show if supportsPasskeys() returns false. */
export const noPasskeys = () =>
  t`This browser can't use passkeys here. Update it, or open the console at its https address.`;

/**
 * Reports whether the browser can parse passkey options from JSON at this address. Chromium can since version 129,
 * Firefox since 119 and Safari since 18.4. Browsers offer no passkeys on plain http addresses other than localhost.
 */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === "function" &&
  typeof window.PublicKeyCredential.parseRequestOptionsFromJSON === "function";

/** Creates a passkey on the device and returns its credential. Fails with a DOMException if the user declines. */
export async function createPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return credentialOf(await navigator.credentials.create({ publicKey }));
}

/** Asks the user for a passkey and returns its credential. Fails with a DOMException if the user declines. */
export async function requestPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return credentialOf(await navigator.credentials.get({ publicKey }));
}

function credentialOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("the browser returned no passkey");
  return credential.toJSON();
}

/** Returns the error to show if a passkey call failed; undefined if the user declined, which needs no message. */
export function passkeyFault(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error;
  if (error.name === "NotAllowedError" || error.name === "AbortError") return undefined;
  if (error.name === "InvalidStateError") return new Error(t`This device already has a passkey for your account.`);
  return new Error(t`This device or browser can't use passkeys here.`);
}
