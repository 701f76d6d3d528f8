// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { Problem } from "@/api/problem";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { PriceEditor } from "./PriceEditor";

const close = () => {};
const price = { input: "1", output: "2" };
const model = { id: "m", free: false, price } as never;

beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("drops the refusal of the price before when another price is saved", async () => {
  const refusal = new Problem(422, { detail: "Refused.", errors: [{ param: "price.input", message: "Too high." }] });
  const outage = new Problem(503, { detail: "The database is unavailable." });
  let available = true;
  vi.spyOn(api, "POST").mockImplementation((async (path: string) => {
    if (path === "/api/operator/prices") throw refusal;
    if (!available) throw outage;
    return { data: { items: [{ model: "m", current: price, loss: false, channels: [] }] }, response: new Response() };
  }) as never);
  renderIn(<PriceEditor opened close={close} model={model} />);
  const input = (await screen.findAllByRole("textbox", { name: /^Input/ }))[0] as HTMLElement;
  await userEvent.type(input, "9");
  await userEvent.click(screen.getByRole("button", { name: "Change the price now" }));
  await screen.findByText("Too high.");
  available = false;
  await userEvent.type(input, "{Backspace}5");
  await userEvent.click(screen.getByRole("button", { name: "Change the price now" }));
  await screen.findAllByText(outage.message);
  expect(screen.queryByText("Too high.")).toBeNull();
});
