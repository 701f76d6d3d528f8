import { afterEach, expect, it, vi } from "vitest";

import { newId } from "./newId";

afterEach(() => {
  vi.unstubAllGlobals();
});

it("returns different UUIDs of version 4", () => {
  const ids = Array.from({ length: 100 }, newId);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(ids).size).toBe(100);
});

it.each([
  [0x00, "00000000-0000-4000-8000-000000000000"],
  [0xff, "ffffffff-ffff-4fff-bfff-ffffffffffff"],
])("works over plain HTTP, where crypto has no randomUUID: bytes of %i", (byte, id) => {
  vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes.fill(byte) });
  expect(newId()).toBe(id);
});
