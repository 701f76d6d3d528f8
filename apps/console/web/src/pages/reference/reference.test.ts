import { describe, expect, it } from "vitest";

import { type Endpoint, groupsOf, type OpenAPI, type Schema, shapeOf, typeLabel, variantNames } from "./openapi";
import { callOf, codeOf } from "./request";
import { examplesOf, sample, withModel } from "./sample";

const schemas: Record<string, Schema> = {
  Text: {
    type: "object",
    required: ["type"],
    properties: { type: { type: "string", const: "text" }, text: { type: "string" } },
  },
  Image: { type: "object", required: ["type"], properties: { type: { type: "string", enum: ["image"] } } },
  Tree: {
    type: "object",
    required: ["children"],
    properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
  },
  Part: {
    oneOf: [{ $ref: "#/components/schemas/Text" }, { $ref: "#/components/schemas/Image" }],
    discriminator: { propertyName: "type" },
  },
  Base: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
};
const document: OpenAPI = {
  info: { title: "", version: "" },
  tags: [{ name: "Chat" }, { name: "Empty" }],
  paths: {},
  components: { schemas },
};
const part: Schema = { $ref: "#/components/schemas/Part" };

describe("the type of a schema", () => {
  it.each<[string, Schema, string]>([
    ["a type", { type: "integer" }, "integer"],
    ["a format", { type: "string", format: "date" }, "string (date)"],
    ["null among the types", { type: ["string", "null"] }, "string or null"],
    ["null among the variants", { anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    ["an array", { type: "array", items: { type: "string" } }, "array of string"],
    [
      "a union",
      { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      "string or array of string",
    ],
    ["an enum that is open", { anyOf: [{ type: "string", enum: ["a"] }, { type: "string" }] }, "string"],
    ["a schema without a type", {}, "any"],
    ["a schema that contains itself", { $ref: "#/components/schemas/Tree" }, "object"],
    ["an unknown reference", { $ref: "#/components/schemas/Missing" }, "any"],
  ])("%s", (_name, schema, want) => expect(typeLabel(document, schema)).toBe(want));
});

describe("a union", () => {
  it("names its variants by their discriminator", () =>
    expect(variantNames(document, shapeOf(document, part))).toEqual(["text", "image"]));
  it("names its variants by the mapping of their discriminator", () => {
    const mapping = { a: "#/components/schemas/Base", b: "#/components/schemas/Tree", c: "#/components/schemas/Tree" };
    const mapped: Schema = {
      oneOf: [{ $ref: "#/components/schemas/Base" }, { $ref: "#/components/schemas/Tree" }],
      discriminator: { propertyName: "kind", mapping },
    };
    expect(variantNames(document, shapeOf(document, mapped))).toEqual(["a", "b, c"]);
  });
  it("tells variants of the same name apart", () => {
    const twice: Schema = {
      oneOf: [
        { type: "object", title: "Item" },
        { type: "object", title: "Item" },
      ],
    };
    expect(variantNames(document, shapeOf(document, twice))).toEqual(["Item (1)", "Item (2)"]);
  });
  it("merges the parts of allOf", () => {
    const { schema } = shapeOf(document, {
      allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { name: { type: "string" } }, required: ["name"] }],
    });
    expect(Object.keys(schema.properties ?? {})).toEqual(["id", "name"]);
    expect(schema.required).toEqual(["id", "name"]);
  });
});

describe("an example", () => {
  it("has the required fields", () => expect(sample(document, part)).toEqual({ type: "text" }));
  it("ends when a schema contains itself", () =>
    expect(JSON.stringify(sample(document, { $ref: "#/components/schemas/Tree" })).length).toBeLessThan(200));
  it("comes from the document before it is made", () => {
    const operation = {
      operationId: "other",
      responses: {},
      requestBody: {
        content: {
          "application/json": { schema: part, examples: { a: { summary: "An image", value: { type: "image" } } } },
        },
      },
    };
    expect(examplesOf(document, operation)).toEqual([{ name: "An image", value: { type: "image" } }]);
  });
  it("gets another model", () =>
    expect(JSON.parse(withModel('{"model":"a","n":1}', "b"))).toEqual({ model: "b", n: 1 }));
  it("stays as it is if it is malformed", () => expect(withModel('{"model":', "b")).toBe('{"model":'));
});

const endpoint = (method: string, path: string): Endpoint => ({
  id: "one",
  method,
  path,
  title: "",
  operation: { operationId: "one", responses: {} },
});

describe("a call", () => {
  const parameters = [
    { name: "id", in: "path" as const, required: true },
    { name: "include", in: "query" as const, schema: { type: "array" } },
    { name: "x-note", in: "header" as const },
  ];
  it("has its parameters in their places, encoded", () => {
    const call = callOf("https://relay.example/", {
      endpoint: endpoint("GET", "/v1/things/{id}"),
      parameters,
      values: { id: "a/b", include: "x, y", "x-note": "n" },
      body: undefined,
    });
    expect(call).toEqual({
      method: "GET",
      url: "https://relay.example/v1/things/a%2Fb?include=x&include=y",
      headers: { "x-note": "n" },
      body: undefined,
    });
  });
  it("leaves out parameters without a value", () => {
    const call = callOf("https://relay.example", {
      endpoint: endpoint("GET", "/v1/things"),
      parameters,
      values: { include: "" },
      body: undefined,
    });
    expect(call.url).toBe("https://relay.example/v1/things");
  });
  it("is code in four languages, without the token", () => {
    const call = callOf("https://relay.example", {
      endpoint: endpoint("POST", "/v1/chat/completions"),
      parameters: [],
      values: {},
      body: `{"model": "it's"}`,
    });
    expect(codeOf("curl", call)).toContain(`-d '{"model": "it'\\''s"}'`);
    expect(codeOf("python", call)).toContain("client.chat.completions.create(");
    expect(codeOf("node", call)).toContain("client.chat.completions.create(");
    expect(codeOf("go", call)).toContain(`http.NewRequest("POST", "https://relay.example/v1/chat/completions"`);
  });
  it("is code for HTTP if OpenAI's SDK has no method for it", () => {
    const call = callOf("https://relay.example", {
      endpoint: endpoint("GET", "/v1/usage"),
      parameters: [],
      values: {},
      body: undefined,
    });
    expect(codeOf("python", call)).toContain(`requests.request("GET", "https://relay.example/v1/usage"`);
    expect(codeOf("node", call)).toContain(`await fetch("https://relay.example/v1/usage"`);
  });
});

it("operations are listed by tag, in the document's order, and tags without operations are left out", () => {
  const operation = (operationId: string, tag: string) => ({ operationId, tags: [tag], responses: {} });
  const paths = {
    "/a": { get: operation("a", "Other") },
    "/b": { post: operation("b", "Chat"), get: operation("c", "Chat") },
  };
  expect(
    groupsOf({ ...document, paths }).map(({ name, endpoints }) => [name, ...endpoints.map(({ id }) => id)]),
  ).toEqual([
    ["Chat", "c", "b"],
    ["Other", "a"],
  ]);
});
