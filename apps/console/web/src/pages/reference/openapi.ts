import { plural, t } from "@lingui/core/macro";

/** The parts of an OpenAPI document (3.1) that the API reference shows. */
export interface OpenAPI {
  info: { title: string; version: string; description?: string };
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Answer>;
    headers?: Record<string, Header>;
  };
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: (Parameter | Reference)[];
  requestBody?: { description?: string; content: Record<string, Media> };
  responses: Record<string, Answer | Reference>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Media>;
}

export interface Header {
  description?: string;
  schema?: Schema;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value?: unknown }>;
}

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  /** Values that are known today. Others may be added. */
  "x-extensible-enum"?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  deprecated?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}

/** One operation with its place in the document. */
export interface Endpoint {
  id: string;
  /** In upper case. */
  method: string;
  path: string;
  title: string;
  operation: Operation;
}

const methods = ["get", "post", "put", "patch", "delete"];

/** Returns the operations by tag, in the order of the document's tags. Tags without operations are left out. */
export function groupsOf(document: OpenAPI): { name: string; endpoints: Endpoint[] }[] {
  const groups = new Map<string, Endpoint[]>((document.tags ?? []).map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? t`Other`;
      const endpoint = {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        title: operation.summary ?? operation.operationId,
        operation,
      };
      groups.set(tag, [...(groups.get(tag) ?? []), endpoint]);
    }
  }
  return [...groups].filter(([, endpoints]) => endpoints.length > 0).map(([name, endpoints]) => ({ name, endpoints }));
}

/** Returns the object that a reference of the document points to, or the object itself. */
export function resolve<T extends object>(document: OpenAPI, value: T | Reference): T {
  let found: unknown = value;
  for (let i = 0; i < 10 && isReference(found); i++) {
    found = found.$ref
      .slice(2)
      .split("/")
      .reduce<unknown>(
        (inside, key) =>
          (inside as Record<string, unknown> | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
        document,
      );
  }
  return (isReference(found) || found === undefined ? {} : found) as T;
}

const isReference = (value: unknown): value is Reference =>
  typeof value === "object" && value !== null && typeof (value as Reference).$ref === "string";

/** Returns the name of a referenced schema; undefined for a schema without a name. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split("/").at(-1);

/**
 * Returns the schema without references and allOf at its top: a description next to a reference replaces that of the
 * target, and the parts of allOf become one object.
 */
export function flatten(document: OpenAPI, schema: Schema, depth = 0): Schema {
  const { $ref, ...beside } = schema;
  const target: Schema = $ref ? { ...resolve<Schema>(document, { $ref }), ...beside } : schema;
  if (!target.allOf || depth > 5) return target;
  const { allOf, ...own } = target;
  return [...allOf.map((part) => flatten(document, part, depth + 1)), own].reduce<Schema>(
    (sum, part) => ({
      ...sum,
      ...part,
      properties: { ...sum.properties, ...part.properties },
      required: [...(sum.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
}

const isNull = (schema: Schema) => schema.type === "null" || schema.const === null;

/** A schema with its null split off, which 3.1 writes as a type or as a variant. */
export interface Shape {
  schema: Schema;
  nullable: boolean;
  /** The name of the schema in the document. */
  name: string | undefined;
  /** The alternatives, without null. Empty if there is only one. */
  variants: Schema[];
}

/** Resolves a schema to what the reader should see of it. */
export function shapeOf(document: OpenAPI, schema: Schema): Shape {
  const name = nameOf(schema);
  const flat = flatten(document, schema);
  const all = flat.oneOf ?? flat.anyOf ?? [];
  const variants = all.filter((variant) => !isNull(flatten(document, variant)));
  const nullable = variants.length < all.length || (Array.isArray(flat.type) && flat.type.includes("null"));
  const [only] = variants;
  if (variants.length === 1 && only) {
    const inner = shapeOf(document, only);
    const description = flat.description ?? inner.schema.description;
    return {
      ...inner,
      nullable: nullable || inner.nullable,
      name: inner.name ?? name,
      schema: { ...inner.schema, description },
    };
  }
  return { schema: flat, nullable, name, variants };
}

/** Returns the types of a schema without null. */
export const typesOf = ({ type }: Schema): string[] =>
  (Array.isArray(type) ? type : type ? [type] : []).filter((one) => one !== "null");

/** Returns the type of a schema in words, such as "array of string". */
export function typeLabel(document: OpenAPI, schema: Schema, depth = 0): string {
  const shape = shapeOf(document, schema);
  const label = (): string => {
    const { items, format, type } = shape.schema;
    if (shape.variants.length > 0)
      return depth > 1 ? (shape.name ?? "union") : unionLabel(document, shape.variants, depth);
    if (items && typesOf(shape.schema).includes("array")) return arrayOf(typeLabel(document, items, depth + 1));
    const types = typesOf(shape.schema);
    if (shape.schema.const !== undefined) return JSON.stringify(shape.schema.const);
    if (types.length === 0)
      return shape.schema.properties ? "object" : type ? "null" : shape.schema.enum ? "enum" : "any";
    return types.map((one) => (format && one === "string" ? `string (${format})` : one)).reduce(either);
  };
  return shape.nullable ? either(label(), "null") : label();
}

const arrayOf = (type: string) =>
  t({ message: `array of ${type}`, comment: "The type of a field, such as: array of string" });

const either = (type: string, other: string) =>
  t({ message: `${type} or ${other}`, comment: "The type of a field, such as: string or null" });

/** The most types that the label of a union names. */
const namedTypes = 3;

function unionLabel(document: OpenAPI, variants: Schema[], depth: number): string {
  const labels = [...new Set(variants.map((variant) => typeLabel(document, variant, depth + 1)))];
  const count = variants.length;
  return labels.length <= namedTypes
    ? labels.reduce(either)
    : plural(count, { one: "one of # type", other: "one of # types" });
}

/** The most values of a discriminator that the name of a variant has. */
const namedValues = 3;

/**
 * Returns the values of the discriminator that select a variant, in words; undefined if the union does not list them.
 */
function mappedName({ discriminator }: Schema, { $ref }: Schema): string | undefined {
  const values = Object.entries(discriminator?.mapping ?? {}).flatMap(([value, target]) =>
    target === $ref ? [value] : [],
  );
  return values.length > 0
    ? `${values.slice(0, namedValues).join(", ")}${values.length > namedValues ? ", …" : ""}`
    : undefined;
}

/**
 * Returns a name for each variant of a union: the value of its discriminator, its title or name, or its type. Names
 * that occur twice get the name of the schema added.
 */
export function variantNames(document: OpenAPI, { schema, variants }: Shape): string[] {
  const names = variants.map((variant) => {
    const mapped = mappedName(schema, variant);
    if (mapped) return mapped;
    const flat = flatten(document, variant);
    const property = schema.discriminator?.propertyName ?? "type";
    const tag = flat.properties?.[property] && flatten(document, flat.properties[property]);
    const fixed = tag?.const ?? (tag?.enum?.length === 1 ? tag.enum[0] : undefined);
    return typeof fixed === "string" ? fixed : (flat.title ?? nameOf(variant) ?? typeLabel(document, variant));
  });
  return names.map((name, i) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name;
    const schemaName = nameOf(variants[i] ?? {});
    return schemaName && schemaName !== name ? `${name} (${schemaName})` : `${name} (${i + 1})`;
  });
}

/** Returns the limits of a value in words, such as "at least 1". */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const length = minLength === 1 && maxLength === undefined ? t`not empty` : lengthLimit(minLength, maxLength);
  return [valueLimit(minimum, maximum), length, itemsLimit(minItems, maxItems)].filter((limit) => limit !== undefined);
}

function valueLimit(minimum: number | undefined, maximum: number | undefined): string | undefined {
  const least = minimum !== undefined && String(minimum);
  const most = maximum !== undefined && String(maximum);
  if (least && most) return t`${least} to ${most}`;
  if (least) return t`at least ${least}`;
  return most ? t`at most ${most}` : undefined;
}

function lengthLimit(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined)
    return plural(most, { one: `${least} to # character`, other: `${least} to # characters` });
  if (least !== undefined) return plural(least, { one: "at least # character", other: "at least # characters" });
  return most === undefined ? undefined : plural(most, { one: "at most # character", other: "at most # characters" });
}

function itemsLimit(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined)
    return plural(most, { one: `${least} to # item`, other: `${least} to # items` });
  if (least !== undefined) return plural(least, { one: "at least # item", other: "at least # items" });
  return most === undefined ? undefined : plural(most, { one: "at most # item", other: "at most # items" });
}
