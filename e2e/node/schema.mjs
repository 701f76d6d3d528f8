// What OpenAI's types say of a body or an event.
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const schema = createGenerator({ path: at('types.ts'), tsconfig: at('tsconfig.json'), type: '*', skipTypeCheck: true, additionalProperties: true }).createSchema('*');
const { definitions } = schema;
const ajv = new Ajv({ strict: false, allErrors: true }).addSchema(schema, 'openai');

const resolve = (node) => (node.$ref ? resolve(definitions[decodeURIComponent(node.$ref.slice('#/definitions/'.length))]) : node);
const nameOf = (node) => (node.$ref ? decodeURIComponent(node.$ref.slice('#/definitions/'.length)) : undefined);

// The event types are a union: each is checked as the one that it says it is,
// so that a fault is not told once for each of the others.
const events = new Map(resolve(definitions.Event).anyOf.map((node) => [resolve(node).properties.type.const, nameOf(node)]));

// faults returns what is wrong with a value of a type, with path and value.
export function faults(type, value) {
  const name = type === 'Event' ? events.get(value.type) : type;
  if (!name) return [`there is no event of the type ${value.type}`];
  const check = ajv.getSchema(`openai#/definitions/${encodeURIComponent(name)}`);
  if (check(value)) return [];
  return [...new Set(causes(check.errors).map((error) => tell(name, error, value)))];
}

// causes leaves out the errors of a value that has more precise ones below it,
// which a union tells besides.
function causes(errors) {
  return errors.filter(({ instancePath, keyword }) => !(keyword === 'anyOf' && errors.some((other) => other.instancePath.startsWith(instancePath + '/'))));
}

function tell(name, error, value) {
  let found = value;
  for (const key of error.instancePath.split('/').slice(1)) found = found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  const detail = error.params.missingProperty ?? error.params.allowedValue ?? error.params.allowedValues ?? '';
  return `${name}${error.instancePath}: ${error.keyword}: ${error.message} ${detail} : ${JSON.stringify(found)?.slice(0, 300)}`;
}
