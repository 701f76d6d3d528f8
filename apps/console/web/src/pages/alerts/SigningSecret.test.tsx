// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { SigningSecret } from "./SigningSecret";

afterEach(cleanup);

it("stays until a button closes it", async () => {
  const close = vi.fn();
  renderIn(<SigningSecret secret="whsec_1" close={close} />);
  await screen.findByText("whsec_1");
  await userEvent.keyboard("{Escape}");
  await userEvent.click(document.querySelector(".mantine-Modal-overlay") as HTMLElement);
  expect(close).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(close).toHaveBeenCalledOnce();
});
