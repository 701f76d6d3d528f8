import { afterEach, describe, expect, it, vi } from "vitest";

import { creationOptions, credentialJson, fromBase64url, passkeyFault, requestOptions, toBase64url } from "./passkey";

const bytes = (...values: number[]) => Uint8Array.from(values).buffer;

class OldCredential {
  id = "-_8";
  rawId = bytes(251, 255);
  type = "public-key";
  authenticatorAttachment = "platform";
  readonly response: object;
  constructor(response: object) {
    this.response = response;
  }
  getClientExtensionResults = () => ({});
}

class Attestation {
  attestationObject = bytes(1);
  clientDataJSON = bytes(2);
  getTransports = () => ["internal"];
}

class Assertion {
  authenticatorData = bytes(3);
  clientDataJSON = bytes(4);
  signature = bytes(5);
  userHandle = bytes(6);
}

function withBrowser(credential: object) {
  vi.stubGlobal("PublicKeyCredential", credential);
  vi.stubGlobal("AuthenticatorAttestationResponse", Attestation);
  vi.stubGlobal("AuthenticatorAssertionResponse", Assertion);
}

afterEach(() => vi.unstubAllGlobals());

it.each([0, 1, 2, 3, 255])("brings %d bytes there and back", (length) => {
  const all = Uint8Array.from({ length }, (_, i) => 255 - i).buffer;
  expect(toBase64url(all)).not.toMatch(/[+/=]/);
  expect(fromBase64url(toBase64url(all))).toEqual(all);
});

const creation = {
  challenge: "AQI",
  rp: { id: "console.example", name: "Tollgate" },
  user: { id: "Aw", name: "a@b.example", displayName: "a@b.example" },
  pubKeyCredParams: [{ type: "public-key", alg: -7 }],
  excludeCredentials: [{ type: "public-key", id: "BA" }],
  authenticatorSelection: { residentKey: "required" },
};

describe("a browser that does not read JSON", () => {
  it("is given bytes for a new passkey", () => {
    withBrowser(OldCredential);
    expect(creationOptions(creation)).toEqual({
      challenge: bytes(1, 2),
      rp: creation.rp,
      user: { ...creation.user, id: bytes(3) },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      excludeCredentials: [{ type: "public-key", id: bytes(4) }],
      authenticatorSelection: { residentKey: "required" },
    });
  });

  it("is given bytes to ask for one", () => {
    withBrowser(OldCredential);
    expect(requestOptions({ challenge: "AQI", rpId: "console.example", userVerification: "required" })).toEqual({
      challenge: bytes(1, 2),
      allowCredentials: [],
      rpId: "console.example",
      userVerification: "required",
    });
  });

  it("has its bytes written as JSON", () => {
    withBrowser(OldCredential);
    expect(credentialJson(new OldCredential(new Attestation()))).toMatchObject({ id: "-_8", rawId: "-_8", type: "public-key", response: { attestationObject: "AQ", clientDataJSON: "Ag", transports: ["internal"] } });
    expect(credentialJson(new OldCredential(new Assertion()))).toMatchObject({ response: { authenticatorData: "Aw", clientDataJSON: "BA", signature: "BQ", userHandle: "Bg" } });
  });
});

it("leaves JSON to a browser that reads it", () => {
  const parsed = { challenge: bytes(9) };
  withBrowser(Object.assign(class {}, { parseCreationOptionsFromJSON: () => parsed, parseRequestOptionsFromJSON: () => parsed }));
  expect(creationOptions(creation)).toBe(parsed);
  expect(requestOptions({ challenge: "AQI" })).toBe(parsed);
});

it.each([null, 1, {}, { challenge: 1 }])("refuses %j as options", (options) => {
  withBrowser(OldCredential);
  expect(() => creationOptions(options)).toThrow(TypeError);
  expect(() => requestOptions(options)).toThrow(TypeError);
});

it("says nothing where the person declined", () => {
  expect(passkeyFault(new DOMException("", "NotAllowedError"))).toBeUndefined();
  expect(passkeyFault(new DOMException("", "InvalidStateError"))).toMatchObject({ message: expect.stringContaining("already") });
  const other = new Error("x");
  expect(passkeyFault(other)).toBe(other);
});
