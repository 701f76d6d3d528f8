import { afterEach, expect, it, vi } from "vitest";

import { createPasskey, passkeyFault, requestPasskey, supportsPasskeys } from "./passkey";

class Passkey {
  static parseCreationOptionsFromJSON = (json: unknown) => ({ created: json });
  static parseRequestOptionsFromJSON = (json: unknown) => ({ requested: json });
  readonly options: unknown;
  constructor(options: unknown) {
    this.options = options;
  }
  toJSON = () => ({ json: this.options });
}

function inBrowser(
  PublicKeyCredential: unknown,
  credential: (options: unknown) => unknown = (options) => new Passkey(options),
) {
  const credentials = {
    create: async (options: unknown) => credential(options),
    get: async (options: unknown) => credential(options),
  };
  vi.stubGlobal("PublicKeyCredential", PublicKeyCredential);
  vi.stubGlobal("window", { PublicKeyCredential });
  vi.stubGlobal("navigator", { credentials });
}

afterEach(() => vi.unstubAllGlobals());

it("passes the options to the browser's parser and returns the credential's JSON", async () => {
  inBrowser(Passkey);
  expect(supportsPasskeys()).toBe(true);
  expect(await createPasskey("a")).toEqual({ json: { publicKey: { created: "a" } } });
  expect(await requestPasskey("b")).toEqual({ json: { publicKey: { requested: "b" } } });
});

it.each([undefined, class {}, { parseCreationOptionsFromJSON: () => ({}) }])(
  "supportsPasskeys returns false in a browser with %o",
  (credential) => {
    inBrowser(credential);
    expect(supportsPasskeys()).toBe(false);
  },
);

it.each([null, { toJSON: () => ({}) }])("throws if the browser returns %o instead of a passkey", async (credential) => {
  inBrowser(Passkey, () => credential);
  await expect(createPasskey({})).rejects.toThrow(TypeError);
  await expect(requestPasskey({})).rejects.toThrow(TypeError);
});

it("shows no error if the user declined", () => {
  expect(passkeyFault(new DOMException("", "NotAllowedError"))).toBeUndefined();
  expect(passkeyFault(new DOMException("", "InvalidStateError"))).toMatchObject({
    message: expect.stringContaining("already"),
  });
  const other = new Error("x");
  expect(passkeyFault(other)).toBe(other);
});
