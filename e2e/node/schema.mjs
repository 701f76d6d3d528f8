// Checks bodies and events against OpenAI's published types, by way of JSON schemas generated from them.
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const schema = createGenerator({ path: at('types.ts'), tsconfig: at('tsconfig.json'), type: '*', skipTypeCheck: true, additionalProperties: true }).createSchema('*');
const { definitions } = schema;
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schema, 'openai');

const resolve = (node) => (node.$ref ? resolve(definitions[decodeURIComponent(node.$ref.slice('#/definitions/'.length))]) : node);
const nameOf = (node) => (node.$ref ? decodeURIComponent(node.$ref.slice('#/definitions/'.length)) : undefined);

// The event types are a union. Each event is checked only against its own type; a check against the union would
// report a fault once for every other type.
const events = new Map(resolve(definitions.Event).anyOf.map((node) => [resolve(node).properties.type.const, nameOf(node)]));

// faults returns a message for each difference between a value and a type, with path and value.
export function faults(type, value) {
  const name = type === 'Event' ? events.get(value.type) : type;
  if (!name) return [`unknown event type ${value.type}`];
  const check = ajv.getSchema(`openai#/definitions/${encodeURIComponent(name)}`);
  if (check(value)) return [];
  return [...new Set(causes(check.errors).map((error) => format(name, error, value)))];
}

// causes removes the errors of a union whose member has more precise errors.
function causes(errors) {
  return errors.filter(({ instancePath, keyword }) => !(keyword === 'anyOf' && errors.some((other) => other.instancePath.startsWith(instancePath + '/'))));
}

// format formats one error, with the value that it concerns.
function format(name, error, value) {
  let found = value;
  for (const key of error.instancePath.split('/').slice(1)) found = found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  const detail = error.params.missingProperty ?? error.params.allowedValue ?? error.params.allowedValues ?? '';
  return `${name}${error.instancePath}: ${error.keyword}: ${error.message} ${detail} : ${JSON.stringify(found)?.slice(0, 300)}`;
}
