/** What of browsers' passkeys the console uses. Options and credentials travel as the JSON of Web Authentication Level 3. */

/** Whether this browser, at this address, knows passkeys. */
export const knowsPasskeys = (): boolean => typeof window.PublicKeyCredential === "function";

/** Has the device make a passkey. Where the person declines it fails with a DOMException. */
export async function makePasskey(options: unknown): Promise<unknown> {
  const made = await navigator.credentials.create({ publicKey: creationOptions(options) });
  return credentialJson(made);
}

/** Asks the person for a passkey. Where the person declines it fails with a DOMException. */
export async function askForPasskey(options: unknown): Promise<unknown> {
  const given = await navigator.credentials.get({ publicKey: requestOptions(options) });
  return credentialJson(given);
}

/** Why no passkey came, for people; undefined where the person just declined. */
export function passkeyFault(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error;
  if (error.name === "NotAllowedError" || error.name === "AbortError") return undefined;
  if (error.name === "InvalidStateError") return new Error("This device has a passkey for your account already.");
  return new Error("This device or browser cannot use passkeys here.");
}

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

function json(value: unknown): Json {
  if (!isJson(value)) throw new TypeError("the console sent no options for a passkey");
  return value;
}

const isCreation = (options: Json): options is Json & PublicKeyCredentialCreationOptionsJSON =>
  typeof options["challenge"] === "string" && isJson(options["user"]) && isJson(options["rp"]) && Array.isArray(options["pubKeyCredParams"]);

const isRequest = (options: Json): options is Json & PublicKeyCredentialRequestOptionsJSON => typeof options["challenge"] === "string";

/** Options for navigator.credentials.create(); browsers of before 2024 do not read JSON themselves. */
export function creationOptions(options: unknown): PublicKeyCredentialCreationOptions {
  const given = json(options);
  if (!isCreation(given)) throw new TypeError("the console sent no options for a new passkey");
  if (typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function") return PublicKeyCredential.parseCreationOptionsFromJSON(given);
  const { attestation, authenticatorSelection, pubKeyCredParams, rp, timeout, user } = given;
  return {
    challenge: fromBase64url(given.challenge),
    rp,
    user: { ...user, id: fromBase64url(user.id) },
    pubKeyCredParams: pubKeyCredParams.map(({ alg }) => ({ alg, type: "public-key" })),
    excludeCredentials: (given.excludeCredentials ?? []).map(descriptor),
    ...(timeout !== undefined && { timeout }),
    ...(authenticatorSelection && { authenticatorSelection }),
    ...(attestation === "none" && { attestation }),
  };
}

/** Options for navigator.credentials.get(), likewise. */
export function requestOptions(options: unknown): PublicKeyCredentialRequestOptions {
  const given = json(options);
  if (!isRequest(given)) throw new TypeError("the console sent no options to ask for a passkey");
  if (typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function") return PublicKeyCredential.parseRequestOptionsFromJSON(given);
  const { rpId, timeout, userVerification } = given;
  return {
    challenge: fromBase64url(given.challenge),
    allowCredentials: (given.allowCredentials ?? []).map(descriptor),
    ...(rpId !== undefined && { rpId }),
    ...(timeout !== undefined && { timeout }),
    ...((userVerification === "required" || userVerification === "preferred" || userVerification === "discouraged") && { userVerification }),
  };
}

const descriptor = ({ id }: PublicKeyCredentialDescriptorJSON): PublicKeyCredentialDescriptor => ({ type: "public-key", id: fromBase64url(id) });

/** What a device gave, as PublicKeyCredential.toJSON() writes it. */
export function credentialJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("the device gave no passkey");
  if (typeof credential.toJSON === "function") return credential.toJSON();
  const { response } = credential;
  const common = { id: credential.id, rawId: toBase64url(credential.rawId), type: credential.type, clientExtensionResults: credential.getClientExtensionResults(), authenticatorAttachment: credential.authenticatorAttachment ?? undefined };
  if (response instanceof AuthenticatorAttestationResponse) {
    const { attestationObject, clientDataJSON } = response;
    return { ...common, response: { attestationObject: toBase64url(attestationObject), clientDataJSON: toBase64url(clientDataJSON), transports: response.getTransports() } };
  }
  if (response instanceof AuthenticatorAssertionResponse) {
    const { authenticatorData, clientDataJSON, signature, userHandle } = response;
    return {
      ...common,
      response: {
        authenticatorData: toBase64url(authenticatorData),
        clientDataJSON: toBase64url(clientDataJSON),
        signature: toBase64url(signature),
        ...(userHandle && { userHandle: toBase64url(userHandle) }),
      },
    };
  }
  throw new TypeError("the device gave no passkey");
}

export function toBase64url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function fromBase64url(text: string): ArrayBuffer {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0)).buffer;
}
