import { t } from "@lingui/core/macro";

import { parse } from "./json";
import { defaults, type Settings, settingsOf } from "./settings";

const name = "settings";
const version = 1;
const longest = 64_000; // characters of the settings in a link; browsers and chats cut longer ones

/** The settings in a link, or the reason why it has none. */
export type Shared = { settings: Settings; fault?: undefined } | { settings?: undefined; fault: string };

/**
 * Returns the address of the playground with the settings, without messages. They are in the fragment, which browsers
 * do not send to a server. Settings with their defaults are left out. Returns undefined if the link would be too long.
 */
export function linkOf(origin: string, settings: Settings): string | undefined {
  const changed = Object.entries(settings).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key as keyof Settings]),
  );
  const encoded = encode(JSON.stringify({ version, ...Object.fromEntries(changed) }));
  return encoded.length > longest ? undefined : `${origin}/playground#${name}=${encoded}`;
}

/** Returns the settings in the fragment of an address; undefined if it names none. */
export function sharedIn(hash: string): Shared | undefined {
  const encoded = new RegExp(`^#?${name}=(.*)$`, "s").exec(hash)?.[1];
  if (encoded === undefined) return undefined;
  const stored = encoded.length > longest ? undefined : parse(decode(encoded));
  if (typeof stored !== "object" || stored === null || Array.isArray(stored))
    return { fault: t`The link is incomplete or damaged. Ask for a new one.` };
  if (!("version" in stored) || stored.version !== version)
    return { fault: t`The link is from another version of the console. Ask for a new one.` };
  const settings = settingsOf(stored);
  return settings.model === "" ? { fault: t`The link is incomplete or damaged. Ask for a new one.` } : { settings };
}

/** Returns a text in base64url, which needs no escapes in an address. */
function encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the text in base64url; "" if it is malformed. */
function decode(encoded: string): string {
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
    );
  } catch {
    return "";
  }
}
