import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Code, Group, NativeSelect, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";

import { useDocument } from "./document";
import {
  flatten,
  limitsOf,
  type OpenAPI,
  type Parameter,
  type Schema,
  type Shape,
  shapeOf,
  typeLabel,
  typesOf,
  variantNames,
} from "./openapi";
import { Prose } from "./Prose";
import classes from "./Reference.module.css";

/** Shows what a schema allows: the fields of an object, the variants of a union, or the type of another value. */
export function SchemaView({ schema }: { schema: Schema }) {
  const document = useDocument();
  const shape = shapeOf(document, schema);
  const within = inner(document, schema);
  if (shape.variants.length > 0 && within) return <Variants shape={shape} />;
  if (shape.schema.properties && Object.keys(shape.schema.properties).length > 0)
    return <Fields schema={shape.schema} />;
  return (
    <Stack gap={6}>
      <Text size="sm" className="mono" c="dimmed">
        {typeLabel(document, schema)}
      </Text>
      <Facts shape={shape} />
      {within && <SchemaView schema={within} />}
    </Stack>
  );
}

/** Shows one variant of a union, which the reader selects. */
function Variants({ shape }: { shape: Shape }) {
  const document = useDocument();
  const names = variantNames(document, shape);
  const [selected, setSelected] = useState(0);
  const variant = shape.variants[selected] ?? {};
  const { description } = flatten(document, variant);
  return (
    <Stack gap="xs">
      <NativeSelect
        size="xs"
        maw={360}
        aria-label={t`Variant`}
        value={selected}
        onChange={(event) => setSelected(Number(event.currentTarget.value))}
        data={names.map((label, value) => ({ label, value: String(value) }))}
      />
      {description && (
        <Text size="sm" c="dimmed">
          <Prose text={description} />
        </Text>
      )}
      <SchemaView key={selected} schema={variant} />
    </Stack>
  );
}

function Fields({ schema }: { schema: Schema }) {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).toSorted(
    ([a], [b]) => Number(required.has(b)) - Number(required.has(a)),
  );
  return (
    <ul className={classes["fields"]}>
      {fields.map(([name, field]) => (
        <Field key={name} name={name} schema={field} required={required.has(name)} />
      ))}
    </ul>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  required?: boolean;
  /** Replaces the description of the schema. */
  description?: string | undefined;
  /** Where a parameter is. */
  place?: Parameter["in"];
}

/**
 * Shows a field, a parameter or a header. Its own fields are shown when the reader opens it, because schemas may
 * contain themselves.
 */
export function Field({ name, schema, required, description, place }: FieldProps) {
  const document = useDocument();
  const [open, setOpen] = useState(false);
  const id = useId();
  const shape = shapeOf(document, schema);
  const within = inner(document, schema);
  const words = description ?? shape.schema.description;
  return (
    <li className={classes["field"]}>
      <Group gap={8} align="baseline">
        <span className={classes["name"]}>{name}</span>
        <Text span size="xs" c="dimmed" className={classes["type"]}>
          {placedType(typeLabel(document, schema), place)}
        </Text>
        {required && (
          <Badge size="xs" color="yellow">
            <Trans>required</Trans>
          </Badge>
        )}
        {shape.schema.deprecated && (
          <Badge size="xs" color="gray">
            <Trans>deprecated</Trans>
          </Badge>
        )}
      </Group>
      {words && (
        <Text size="sm">
          <Prose text={words} />
        </Text>
      )}
      <Facts shape={shape} />
      {within && (
        <UnstyledButton
          className={classes["more"]}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          <IconChevronRight size={14} aria-hidden className={classes["chevron"]} />
          {shapeOf(document, within).variants.length > 0 ? (
            <Trans>Variants of {name}</Trans>
          ) : (
            <Trans>Fields of {name}</Trans>
          )}
        </UnstyledButton>
      )}
      {within && open && (
        <div id={id} className={classes["inner"]}>
          <SchemaView schema={within} />
        </div>
      )}
    </li>
  );
}

/** Returns the type of a value with the place of a parameter. */
function placedType(type: string, place: Parameter["in"] | undefined): string {
  switch (place) {
    case "path":
      return t`${type}, in the path`;
    case "query":
      return t`${type}, in the query`;
    case "header":
      return t`${type}, in the header`;
    case undefined:
      return type;
  }
}

/** Shows the allowed values, the default, the limits and an example of a value. */
function Facts({ shape }: { shape: Shape }) {
  const document = useDocument();
  const { schema } = shape;
  const values = valuesOf(document, shape);
  const limits = limitsOf(schema);
  const example = schema.examples?.find((one) => typeof one !== "object");
  if (values.length === 0 && limits.length === 0 && schema.default === undefined && example === undefined) return null;
  return (
    <Text size="xs" c="dimmed" component="div" className={classes["facts"]}>
      {values.length > 0 && (
        <span>
          {openValues(document, shape) ? <Trans>Known values:</Trans> : <Trans>Values:</Trans>}{" "}
          {values.map((value) => (
            <Code key={String(value)}>{String(value)}</Code>
          ))}
        </span>
      )}
      {schema.default !== undefined && (
        <span>
          <Trans>Default:</Trans> <Code>{JSON.stringify(schema.default)}</Code>
        </span>
      )}
      {limits.length > 0 && <span>{limits.join(", ")}</span>}
      {example !== undefined && values.length === 0 && (
        <span>
          <Trans>Example:</Trans> <Code>{String(example)}</Code>
        </span>
      )}
    </Text>
  );
}

/** Returns the values that a schema and its simple variants list. */
function valuesOf(document: OpenAPI, { schema, variants }: Shape): unknown[] {
  const listed = [schema, ...variants.map((variant) => flatten(document, variant))];
  return [
    ...new Set(
      listed
        .flatMap((one) => [...(one.enum ?? []), ...(one["x-extensible-enum"] ?? [])])
        .filter((value) => value !== null),
    ),
  ];
}

/**
 * Reports whether other values than the listed ones are allowed: the list is open, or a variant is a string without a
 * list.
 */
const openValues = (document: OpenAPI, { schema, variants }: Shape) =>
  schema["x-extensible-enum"] !== undefined ||
  variants
    .map((variant) => flatten(document, variant))
    .some((one) => typesOf(one).includes("string") && !one.enum && one.const === undefined);

/** Returns the part of a schema that has fields of its own: the object or union itself, or that in an array or map. */
function inner(document: OpenAPI, from: Schema, depth = 0): Schema | undefined {
  const { schema, variants } = shapeOf(document, from);
  if (depth > 4) return undefined;
  if (variants.length > 0) return variants.some((variant) => inner(document, variant, depth + 1)) ? from : undefined;
  if (schema.properties && Object.keys(schema.properties).length > 0) return from;
  if (schema.items) return inner(document, schema.items, depth + 1);
  return typeof schema.additionalProperties === "object"
    ? inner(document, schema.additionalProperties, depth + 1)
    : undefined;
}
