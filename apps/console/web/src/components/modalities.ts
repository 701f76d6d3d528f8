import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

/** A kind of content that a model reads or writes. */
export type Modality = Schema<"Modalities">["input"][number];

/** All modalities, in the order of lists. */
export const modalities: readonly Modality[] = ["text", "image", "audio", "video", "file"];

const modalityNames: Record<Modality, MessageDescriptor> = {
  text: msg`Text`,
  image: msg`Image`,
  audio: msg`Audio`,
  video: msg`Video`,
  file: msg`File`,
};

/** Returns the name of a modality. */
export const modalityName = (modality: Modality) => i18n._(modalityNames[modality]);
