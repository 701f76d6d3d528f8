import { expect, it } from "vitest";

import { lists } from "./docs";

const pages = import.meta.glob<string>(["../../../../../README.zh-Hans.md", "../../../../../docs/README.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});

it.each(Object.entries(lists))("in %s, the documentation is a page that exists and leads to others", (_, page) => {
  const text = pages[`../../../../../${page}`];
  expect(text?.match(/\]\((docs\/)?[a-z-]+(\.zh-Hans)?\.md\)/g)?.length).toBeGreaterThan(5);
});
