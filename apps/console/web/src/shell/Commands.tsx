import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import type { Role } from "@/api/session";
import { lazyPart } from "@/components/lazyPart";

import { commandOf, type CommandDialog } from "./shortcuts";

const Palette = lazyPart(() => import("./Palette"));
const Shortcuts = lazyPart(() => import("./Shortcuts"));

interface CommandsProps {
  role: Role;
  dialog: CommandDialog | undefined;
  show: (dialog: CommandDialog | undefined) => void;
}

const fields = "input, textarea, select"; // not translated: a selector
const typingIn = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(fields));

/**
 * Listens to the shortcuts, and shows the command palette and the list of shortcuts. Their code is loaded with their
 * first use.
 */
export function Commands({ role, dialog, show }: CommandsProps) {
  const navigate = useNavigate();
  const begun = useRef<number>(undefined);
  const [wanted, setWanted] = useState<ReadonlySet<CommandDialog>>(new Set());
  if (dialog && !wanted.has(dialog)) setWanted(new Set([...wanted, dialog]));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A dialog has the keyboard for itself. Those of the commands stay in the page for a moment after they are
      // closed.
      if (
        event.defaultPrevented ||
        event.isComposing ||
        dialog ||
        document.querySelector("[role=dialog]:not([data-command])")
      )
        return;
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const command = commandOf(
        { key, mod: ctrlKey || metaKey, alt: altKey, typing: typingIn(target) },
        role,
        event.timeStamp,
        begun.current,
      );
      begun.current = command && "begins" in command ? command.begins : undefined;
      if (!command || "begins" in command) return;
      event.preventDefault();
      if ("to" in command) void navigate({ to: command.to });
      else show(command.dialog);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [role, navigate, show, dialog]);
  const close = () => show(undefined);
  const part = (name: CommandDialog) => ({ opened: dialog === name, close, use: dialog === name, failed: close });
  return (
    <>
      {wanted.has("palette") && <Palette {...part("palette")} showShortcuts={() => show("shortcuts")} />}
      {wanted.has("shortcuts") && <Shortcuts {...part("shortcuts")} role={role} />}
    </>
  );
}
