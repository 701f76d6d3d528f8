import { t } from "@lingui/core/macro";

import { newId } from "@/api/newId";
import { showBytes } from "@/format/number";

/** An image, a recording or a file of a message. */
export interface Attachment {
  id: string;
  name: string;
  /** The content of a "text" is sent as text, which every model reads. */
  kind: "image" | "audio" | "pdf" | "text";
  /** The media type. */
  type: string;
  /** A data URL, or the text itself, or of audio its base64. "" if it was not kept: then it is shown, but not sent. */
  data: string;
}

/** The maximum number of bytes of a request's body that the console accepts. */
export const maxBody = 4 * 1024 * 1024;

/** The maximum number of attachments of one message. */
export const mostAttachments = 20;

const images = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const wavTypes = ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"]; // systems name it differently
const mp3Types = ["audio/mpeg", "audio/mp3"];

const textTypes = /^(text\/|application\/(json|xml|x?yaml|x-yaml|toml|sql|x-sh|javascript|typescript)$)/;
const textNames =
  /\.(txt|md|csv|tsv|log|json|jsonl|ndjson|xml|ya?ml|toml|ini|conf|env|sql|sh|bash|html?|css|jsx?|mjs|tsx?|go|py|rb|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|scala|proto|tf|diff|patch)$/i;

/** The files that the browser offers in its dialog. */
export const accepted = [
  ...images,
  ...wavTypes,
  ...mp3Types,
  "application/pdf",
  "text/*",
  ".json",
  ".md",
  ".csv",
  ".yaml",
  ".yml",
  ".toml",
  ".sql",
  ".go",
  ".py",
  ".rs",
  ".ts",
  ".tsx",
  ".log",
].join(",");

/** Returns what a file is sent as; undefined if it cannot be sent. */
export function kindOf({ name, type }: Pick<File, "name" | "type">): Attachment["kind"] | undefined {
  if (images.includes(type)) return "image";
  if ([...wavTypes, ...mp3Types].includes(type)) return "audio";
  if (type === "application/pdf") return "pdf";
  return textTypes.test(type) || textNames.test(name) ? "text" : undefined;
}

/** The conditions for the attachments of a message. */
export interface Allowance {
  /** The models that get the message, with the kinds of content that they read; undefined if that is not known. */
  models: { id: string; reads: readonly string[] | undefined }[];
  /** The bytes of the body without the new file. */
  used: number;
  /** The most bytes of the body. */
  most?: number | undefined;
}

/** Returns the attachment in a file, or the reason why it cannot be sent. The reason names the file. */
export async function attach(file: File, { models, used, most = maxBody }: Allowance): Promise<Attachment | string> {
  const { name } = file;
  const kind = kindOf(file);
  if (!kind)
    return t`${name} can't be sent. Choose images (PNG, JPEG, WebP, GIF), audio (WAV, MP3), PDFs or text files.`;
  const reason = unread(kind, name, models);
  if (reason) return reason;
  // Checked before it is read: base64 takes four characters for three bytes.
  const size = used + (kind === "text" ? file.size : Math.ceil(file.size / 3) * 4);
  if (size > most) return tooLarge(name, size, most);
  if (kind === "text") {
    const content = await file.text();
    if (content.includes("\u0000")) return t`${name} is not a text file.`;
    return { id: newId(), name, kind, type: file.type || "text/plain", data: content };
  }
  const data = base64(new Uint8Array(await file.arrayBuffer()));
  return {
    id: newId(),
    name,
    kind,
    type: file.type,
    data: kind === "audio" ? data : `data:${file.type};base64,${data}`,
  };
}

/** Returns the format of an audio file as the APIs name it. */
export const audioFormat = (type: string) => (wavTypes.includes(type) ? "wav" : "mp3");

function tooLarge(name: string, bytes: number, mostBytes: number): string {
  const size = showBytes(bytes);
  const most = showBytes(mostBytes);
  return t`${name} is too large: with it, the request would have ${size}. At most ${most} are possible.`;
}

/** Returns the reason why a model cannot read an attachment; undefined if all can, or if that is not known. */
export function unread(kind: Attachment["kind"], name: string, models: Allowance["models"]): string | undefined {
  if (kind === "text") return undefined;
  const model = models.find(({ reads }) => reads && !reads.includes(kind === "pdf" ? "file" : kind))?.id;
  if (model === undefined) return undefined;
  switch (kind) {
    case "image":
      return t`${name} can't be sent: ${model} doesn't read images.`;
    case "audio":
      return t`${name} can't be sent: ${model} doesn't read audio.`;
    case "pdf":
      return t`${name} can't be sent: ${model} doesn't read files.`;
  }
}

/** Returns bytes in base64. It works in steps: a call has a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Returns the number of bytes of a text in UTF-8. */
export const bytesOf = (text: string) => new TextEncoder().encode(text).length;
