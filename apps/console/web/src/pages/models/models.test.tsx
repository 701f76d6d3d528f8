// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import type { Schema } from "@/api/client";
import { renderIn } from "@/components/testing";

import { contextOf, modalitiesOf, outputOf } from "./facts";
import { ModelPrices } from "./ModelPrices";
import { Speed } from "./Speed";

afterEach(cleanup);

const price = (name: string, usd: string) => ({ class: name, price: usd });
const model: Schema<"VisibleModel"> = {
  id: "m",
  owned_by: "x",
  max_output: 16_384,
  max_output_stated: false,
  context_length: 0,
  modalities: { input: [], output: [] },
  free: false,
  multiplier: "0.85",
  fixed: null,
  effective: [
    price("input", "0.1275"),
    price("cached_input", "0.1275"),
    price("output", "0.51"),
    price("web_search", "0.0085"),
  ],
  effective_tiers: [
    {
      above_input: 200_000,
      prices: [price("input", "0.255"), price("cached_input", "0.255"), price("output", "0.765")],
    },
  ],
  effective_service_tiers: [],
};

describe("the page of a model", () => {
  it("says what is not stated", () => {
    expect([contextOf(model), outputOf(model), modalitiesOf([])]).toEqual([
      "Not stated",
      "Not stated. The gateway assumes 16,384 tokens.",
      "Not stated",
    ]);
    expect([
      contextOf({ ...model, context_length: 128_000 }),
      outputOf({ ...model, max_output_stated: true }),
      modalitiesOf(["text", "image"]),
    ]).toEqual(["128,000 tokens", "16,384 tokens", "Text, Image"]);
  });
  it("has a price table with tiers, and tools apart", () => {
    renderIn(<ModelPrices model={model} />);
    const [tokens, tools] = screen.getAllByRole("table");
    expect(
      within(tokens as HTMLElement)
        .getAllByRole("columnheader")
        .map(({ textContent }) => textContent),
    ).toEqual(["Charged for", "Standard", "Above 200,000 input tokens"]);
    expect(
      within(tokens as HTMLElement)
        .getAllByRole("rowheader")
        .map(({ textContent }) => textContent),
    ).toEqual(["Input / 1M tokens", "Output / 1M tokens"]);
    expect(
      within(tokens as HTMLElement)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    ).toEqual(["$0.1275", "$0.255", "$0.51", "$0.765"]);
    expect(within(tools as HTMLElement).getByRole("rowheader").textContent).toBe("Web search / call");
  });
  it("of a free model has no table", () => {
    renderIn(<ModelPrices model={{ ...model, free: true }} />);
    expect(screen.getByText("This model is free.")).toBeTruthy();
    expect(screen.queryByRole("table")).toBeNull();
  });
  it("shows speed and errors, or that there were no requests", () => {
    renderIn(<Speed recent={{ error_rate: 0.125, first_token_ms: 420, tokens_per_second: 49.6 }} />);
    expect(["420 ms", "50 tokens/s", "12.5%"].map((text) => screen.queryByText(text) !== null)).toEqual([
      true,
      true,
      true,
    ]);
    cleanup();
    renderIn(<Speed recent={{ error_rate: 0, first_token_ms: null, tokens_per_second: null }} />);
    expect(screen.getByText("No streamed requests")).toBeTruthy();
    cleanup();
    renderIn(<Speed recent={undefined} />);
    expect(screen.getByText("No recent requests")).toBeTruthy();
  });
});
