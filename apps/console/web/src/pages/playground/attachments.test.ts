import { describe, expect, it } from "vitest";

import { attach, audioFormat, kindOf, maxBody, unread } from "./attachments";

const allowance = { models: [{ id: "echo-1", reads: undefined }], used: 1000 };
const file = (name: string, type: string, content: BlobPart = "x") => new File([content], name, { type });

it.each([
  ["a.png", "image/png", "image"],
  ["a.pdf", "application/pdf", "pdf"],
  ["a.csv", "text/csv", "text"],
  ["main.go", "", "text"],
  ["a.json", "application/json", "text"],
  ["a.zip", "application/zip", undefined],
  ["a.svg", "image/svg+xml", undefined],
  ["a.mp4", "video/mp4", undefined],
  ["a.wav", "audio/x-wav", "audio"],
  ["a.mp3", "audio/mpeg", "audio"],
  ["a.ogg", "audio/ogg", undefined],
])("%s of type %j is sent as %s", (name, type, kind) => expect(kindOf({ name, type })).toBe(kind));

describe("attach", () => {
  it("encodes images", async () =>
    expect(await attach(file("a.png", "image/png", new Uint8Array([0, 255, 1])), allowance)).toMatchObject({
      name: "a.png",
      kind: "image",
      data: "data:image/png;base64,AP8B",
    }));

  it.each([
    ["a.wav", "audio/wav", "wav"],
    ["a.wav", "audio/vnd.wave", "wav"],
    ["a.mp3", "audio/mpeg", "mp3"],
    ["a.mp3", "audio/mp3", "mp3"],
  ])("encodes %s of type %s as %s, without the head of a data URL", async (name, type, format) => {
    expect(await attach(file(name, type, new Uint8Array([0, 255, 1])), allowance)).toMatchObject({
      name,
      kind: "audio",
      data: "AP8B",
    });
    expect(audioFormat(type)).toBe(format);
  });

  it("reads text files", async () =>
    expect(await attach(file("a.txt", "text/plain", "日本"), allowance)).toMatchObject({ kind: "text", data: "日本" }));

  it.each([
    ["with an unknown type", file("a.zip", "application/zip"), "a.zip can't be sent."],
    [
      "that is too large",
      file("big.png", "image/png", new Uint8Array(maxBody)),
      "big.png is too large: with it, the request would have 5.6 MB. At most 4.2 MB are possible.",
    ],
    ["that is no text", file("a.log", "text/plain", "\u0000"), "a.log is not a text file."],
  ])("refuses a file %s, by name", async (_, given, reason) =>
    expect(await attach(given, allowance)).toContain(reason),
  );

  it("counts what the request has already", async () => {
    const given = file("a.png", "image/png", new Uint8Array(3000));
    expect(await attach(given, { ...allowance, used: maxBody - 4000 })).toMatchObject({ name: "a.png" });
    expect(await attach(given, { ...allowance, used: maxBody - 3999 })).toContain("a.png is too large");
  });

  it("refuses what a model does not read", async () => {
    const models = [
      { id: "seer", reads: ["text", "image"] },
      { id: "reader", reads: ["text"] },
    ];
    expect(await attach(file("a.png", "image/png"), { models, used: 0 })).toBe(
      "a.png can't be sent: reader doesn't read images.",
    );
    expect(unread("pdf", "a.pdf", models.slice(0, 1))).toBe("a.pdf can't be sent: seer doesn't read files.");
    expect(unread("text", "a.txt", models)).toBeUndefined();
    expect(await attach(file("a.wav", "audio/wav"), { models, used: 0 })).toBe(
      "a.wav can't be sent: seer doesn't read audio.",
    );
    expect(
      unread("audio", "a.wav", [
        { id: "listener", reads: ["text", "audio"] },
        { id: "unknown", reads: undefined },
      ]),
    ).toBeUndefined();
  });
});
