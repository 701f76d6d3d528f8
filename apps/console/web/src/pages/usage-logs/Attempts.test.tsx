// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import { renderIn } from "@/components/testing";

import { Attempts } from "./Attempts";

afterEach(cleanup);

it.each([
  ["trial", "Half-open"],
  ["no_credential", "No credential"],
  ["reason_of_another_release", "reason_of_another_release"],
])("labels the reason %s of an attempt", (reason, label) => {
  const attempt = { channel: "main", served: true, elapsed_ms: 10, reason };
  renderIn(<Attempts log={{ attempts: [attempt], latency_ms: 10, first_byte_ms: 0 } as never} />);
  expect(screen.getByText(label)).toBeTruthy();
});
