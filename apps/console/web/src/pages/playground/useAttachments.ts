import { t } from "@lingui/core/macro";
import { useEffect, useRef, useState } from "react";

import { type Allowance, attach, type Attachment, bytesOf, mostAttachments } from "./attachments";

/** What a new file is checked against. `used` returns the bytes of the body that the attachments would be in. */
export interface Bounds {
  models: Allowance["models"];
  used: (attachments: Attachment[]) => number;
  /** The most bytes of a body; absent: those of the tenants' playground. */
  most?: number | undefined;
}

/** Holds the attachments of the message that the user writes, and why others were refused. */
export function useAttachments({ models, used, most }: Bounds) {
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  const [faults, setFaults] = useState<string[]>([]);
  const latest = useRef(attachments); // several files may be read at the same time
  const set = (files: Attachment[]) => {
    latest.current = files;
    setAttachments(files);
  };
  const add = async (files: File[]) => {
    const refused: string[] = [];
    for (const file of files) {
      if (latest.current.length >= mostAttachments) {
        refused.push(t`A message has at most ${mostAttachments} images and files.`);
        break;
      }
      const added = await attach(file, { models, used: used(latest.current), most });
      if (typeof added === "string") refused.push(added);
      else set([...latest.current, added]);
    }
    setFaults(refused);
  };
  return {
    attachments,
    faults,
    add: (files: File[]) => void add(files),
    remove: (id: string) => {
      set(latest.current.filter((file) => file.id !== id));
      setFaults([]);
    },
    clear: () => {
      set([]);
      setFaults([]);
    },
  };
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * Takes files that are dropped anywhere on the page; the browser would open them instead. Returns whether one is over
 * the page.
 */
export function useDrop(add: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener("dragover", onDrag);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onDrag);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
  return over;
}

/** Returns the bytes that attachments take in a body. Data URLs are ASCII. */
export const sizeOf = (attachments: Attachment[]) =>
  attachments.reduce(
    (sum, { kind, name, data }) =>
      sum + (kind === "text" ? bytesOf(JSON.stringify(data)) : data.length) + bytesOf(name) + aroundFile,
    0,
  );

const aroundFile = 200; // bytes of the part around a file
