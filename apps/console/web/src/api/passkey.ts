/** Passkeys. Options and credentials travel as the JSON of Web Authentication Level 3, which the browser itself reads and writes. */

/** What to tell people where supportsPasskeys() is false. */
export const noPasskeys = "This browser cannot use passkeys here. Update it, or open the console at its https address.";

/** Whether this browser, at this address, reads passkey options as JSON. Chromium does since 129, Firefox since 119, Safari since 18.4. */
export const supportsPasskeys = (): boolean =>
  typeof window.PublicKeyCredential?.parseCreationOptionsFromJSON === "function" && typeof window.PublicKeyCredential.parseRequestOptionsFromJSON === "function";

/** Creates a passkey on the device and returns its credential. Fails with a DOMException where the user declines. */
export async function createPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return credentialOf(await navigator.credentials.create({ publicKey }));
}

/** Asks the user for a passkey and returns its credential. Fails with a DOMException where the user declines. */
export async function requestPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return credentialOf(await navigator.credentials.get({ publicKey }));
}

function credentialOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("the browser returned no passkey");
  return credential.toJSON();
}

/** The error to show where no passkey came; undefined where the user declined. */
export function passkeyFault(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error;
  if (error.name === "NotAllowedError" || error.name === "AbortError") return undefined;
  if (error.name === "InvalidStateError") return new Error("This device has a passkey for your account already.");
  return new Error("This device or browser cannot use passkeys here.");
}
