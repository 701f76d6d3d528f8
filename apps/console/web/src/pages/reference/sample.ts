import { t } from "@lingui/core/macro";

import { type Media, type OpenAPI, type Operation, type Schema, shapeOf, typesOf } from "./openapi";

/** A body with which the reader can start. */
export interface Example {
  name: string;
  value: unknown;
}

/**
 * Returns bodies for the operation: the examples of the document, the shortest first, or one that is made from the
 * schema.
 */
export function examplesOf(document: OpenAPI, operation: Operation): Example[] {
  const media = operation.requestBody?.content["application/json"];
  if (!media) return [];
  const all = documented(media, document).toSorted((a, b) => length(a) - length(b));
  return all.length > 0 ? all : [{ name: t`Minimal`, value: sample(document, media.schema ?? {}) }];
}

const length = ({ value }: Example) => JSON.stringify(value).length;

function documented(media: Media, document: OpenAPI): Example[] {
  const named = Object.entries(media.examples ?? {}).map(([key, { summary, value }]) => ({
    name: summary ?? key,
    value,
  }));
  const whole = media.schema ? (shapeOf(document, media.schema).schema.examples ?? []) : [];
  const others = [...(media.example === undefined ? [] : [media.example]), ...whole].map((value, i) => ({
    name: numbered(i + 1),
    value,
  }));
  return [...named, ...others].filter(({ value }) => typeof value === "object" && value !== null);
}

const numbered = (number: number) => t`Example ${number}`;

/** Makes the smallest value that a schema allows: an object with its required fields. */
export function sample(document: OpenAPI, from: Schema, depth = 0): unknown {
  const { schema, variants } = shapeOf(document, from);
  const given = [schema.const, schema.examples?.[0], schema.default, schema.enum?.[0]].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  if (depth > 6) return null;
  const [first] = variants;
  if (first) return sample(document, first, depth + 1);
  if (schema.properties) {
    return Object.fromEntries(
      (schema.required ?? []).flatMap((name) =>
        schema.properties?.[name] ? [[name, sample(document, schema.properties[name], depth + 1)]] : [],
      ),
    );
  }
  switch (typesOf(schema)[0]) {
    case "string":
      return "";
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "array":
      return schema.items ? [sample(document, schema.items, depth + 1)] : [];
    case "object":
      return {};
    default:
      return null;
  }
}

/** Returns the JSON text with another model; the text itself if it is not an object with a model. */
export function withModel(body: string, id: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("model" in value)) return body;
    return JSON.stringify({ ...value, model: id }, null, 2);
  } catch {
    return body;
  }
}
