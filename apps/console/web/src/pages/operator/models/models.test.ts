import { expect, it } from "vitest";

import type { Model } from "@/pages/operator/catalog/queries";

import { versionsOf } from "./history";
import { filteredModels, rowsOf } from "./models";

const limits = { requests_per_minute: 0, tokens_per_minute: 0, concurrency: 0 };
const model = (id: string, change: Partial<Model> = {}): Model => ({
  id,
  owned_by: "acme",
  status: "enabled",
  free: false,
  routing: "weighted",
  max_output: 1,
  context_length: 0,
  modalities: { input: [], output: [] },
  created_at: "",
  limits,
  price: { input: "1" },
  ...change,
});
const serving = (status: "enabled" | "disabled", ...models: string[]) => ({
  status,
  models: Object.fromEntries(models.map((id) => [id, id])),
});

it("rowsOf lists what keeps clients from calling a model", () => {
  const rows = rowsOf(
    [model("a"), model("b"), model("c", { price: undefined }), model("d", { status: "disabled" })],
    [serving("enabled", "a", "c"), serving("disabled", "b")],
  );
  expect(rows.map(({ served, disabled, attention }) => [served, disabled, attention])).toEqual([
    [1, 0, []],
    [0, 1, ["unserved"]],
    [1, 0, ["unpriced"]],
    [0, 0, []],
  ]);
  expect(filteredModels(rows, { status: "attention" }).map((row) => row.model.id)).toEqual(["b", "c"]);
  expect(rowsOf([model("a")], undefined)[0]?.attention).toEqual([]);
});

it("versionsOf compares each version with the previous one that was not withdrawn", () => {
  const price = (id: string, day: number, input: string, state: "scheduled" | "current" | "past" | "withdrawn") => ({
    id,
    model: "m",
    effective_from: `2026-01-0${day}T00:00:00Z`,
    created_at: "",
    withdrawn_at: null,
    state,
    price: { input },
  });
  const versions = versionsOf([
    price("1", 1, "1", "past"),
    price("3", 3, "3", "scheduled"),
    price("2", 2, "2", "withdrawn"),
  ]);
  expect(versions.map(({ price: { id }, changes }) => [id, changes?.[0]?.percent])).toEqual([
    ["3", "+200%"],
    ["2", "+100%"],
    ["1", undefined],
  ]);
});
