// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import { renderIn } from "@/components/testing";
import { showDateTime } from "@/format/time";

import type { Job } from "./exports";
import { ExportLine } from "./ExportLine";

afterEach(cleanup);

const from = "2026-01-01T00:00:00Z";
const to = "2026-02-01T00:00:00Z";

it.each([
  [{ from, to }, `CSV, from ${showDateTime(from)} until ${showDateTime(to)}`],
  [{ from }, `CSV, since ${showDateTime(from)}`],
  [{ to }, `CSV, all until ${showDateTime(to)}`],
  [{}, "CSV, all until now"],
])("names the time range of a running export: %j", (range, title) => {
  const job = {
    id: "j",
    status: "running",
    created_at: to,
    progress: { done: 0, total: null },
    parameters: { usage_export: { format: "csv", ...range } },
  };
  renderIn(<ExportLine job={job as unknown as Job} />);
  expect(screen.getByText(title)).toBeTruthy();
});
