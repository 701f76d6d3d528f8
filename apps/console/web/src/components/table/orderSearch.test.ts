import { expect, it } from "vitest";

import { orderSearch } from "./orderSearch";

it.each([
  [
    { sort: "name", order: "desc" },
    { sort: "name", order: "desc" },
  ],
  [{ sort: "name" }, { sort: "name", order: "asc" }],
  [
    { sort: "name", order: "up" },
    { sort: "name", order: "asc" },
  ],
  [{ sort: "hash", order: "desc" }, {}],
  [{ order: "desc" }, {}],
  [{ sort: 7 }, {}],
])("orderSearch reads %j", (search, want) => expect(orderSearch(search, ["name", "created_at"])).toEqual(want));
