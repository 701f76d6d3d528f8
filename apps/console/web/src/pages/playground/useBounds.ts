import { useMemo } from "react";

import type { Schema } from "@/api/client";

import { bytesOf } from "./attachments";
import { requestOf } from "./request";
import { type Bounds, sizeOf } from "./useAttachments";
import { settingsFor, type Playground } from "./usePlayground";

/** A model, with what it is known to read. */
type Readable = Pick<Schema<"VisibleModel">, "id" | "modalities">;

/**
 * Returns what images and files of the next message are checked against: the models that read it, and the longer of
 * their requests.
 */
export function useBounds({ settings, columns }: Playground, models: readonly Readable[], most?: number): Bounds {
  return useMemo(() => {
    const bodies = columns.map((turns, i) => bytesOf(JSON.stringify(requestOf(settingsFor(settings, i), turns).body)));
    const body = Math.max(...bodies);
    const reads = (id: string) => models.find((model) => model.id === id)?.modalities.input;
    return {
      models: columns.map((_, i) => settingsFor(settings, i).model).map((id) => ({ id, reads: known(reads(id)) })),
      used: (attachments) => body + sizeOf(attachments),
      most,
    };
  }, [settings, columns, models, most]);
}

/** An empty list means that the modalities are not known. */
const known = (modalities: readonly string[] | undefined) => (modalities?.length ? modalities : undefined);
