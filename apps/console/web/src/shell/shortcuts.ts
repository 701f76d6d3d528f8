import { t } from "@lingui/core/macro";

import type { Role } from "@/api/session";

import { sectionsOf } from "./navigation";

/** The dialogs that shortcuts open. */
export type CommandDialog = "palette" | "shortcuts";

/** The letters that open a page after a "g". Pages that a role does not have are left out by destinationsOf. */
const letters: Record<string, string> = {
  o: "/",
  p: "/playground",
  t: "/tokens",
  l: "/usage-logs",
  q: "/quota",
  m: "/models",
  c: "/operator/channels",
  n: "/operator/tenants",
  y: "/operator/system",
  s: "/settings",
};

/** The pages that operators have in place of those of tenants. */
const forOperators: Record<string, string> = { "/models": "/operator/models", "/playground": "/operator/playground" };

/** A page that two letters open. */
export interface KeyedPage {
  letter: string;
  to: string;
  label: string;
}

/** Returns the pages of a role that two letters open, with the names that the navigation has for them. */
export function keyedPages(role: Role): KeyedPage[] {
  const links = sectionsOf(role).flatMap((section) => section.links);
  return Object.entries(letters).flatMap(([letter, to]) => {
    const own = role === "operator" ? (forOperators[to] ?? to) : to;
    const link = links.find((one) => one.to === own);
    return link ? [{ letter, to: own, label: link.label }] : [];
  });
}

const within = 1500; // ms between the "g" and the letter of a page

/** What a key does: opens a dialog, opens a page, or begins the two letters of a page. */
export type Command = { dialog: CommandDialog } | { to: string } | { begins: number };

/** A key that was pressed, and whether the focus was where keys are text. */
export interface Pressed {
  key: string;
  mod: boolean;
  alt: boolean;
  typing: boolean;
}

/** Returns what a key does; undefined for nothing. `begun` is the time of the "g" before it, in ms. */
export function commandOf(
  { key, mod, alt, typing }: Pressed,
  role: Role,
  now: number,
  begun: number | undefined,
): Command | undefined {
  if (alt) return undefined;
  if (mod) return key.toLowerCase() === "k" ? { dialog: "palette" } : undefined;
  if (typing) return undefined;
  if (key === "?") return { dialog: "shortcuts" };
  if (begun !== undefined && now - begun <= within) {
    const page = keyedPages(role).find(({ letter }) => letter === key);
    return page && { to: page.to };
  }
  return key === "g" ? { begins: now } : undefined;
}

const apple = /Mac|iPhone|iPad/;

/** Returns the name of the key that goes with K. */
export const modKey = (platform: string = navigator.platform) => (apple.test(platform) ? "⌘" : t`Ctrl`);
