// Prints the types of fields.ts as JSON schemas.
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';

const at = (name) => fileURLToPath(new URL(name, import.meta.url));
const schema = createGenerator({ path: at('fields.ts'), tsconfig: at('tsconfig.json'), type: 'Roots', skipTypeCheck: true, additionalProperties: true }).createSchema('Roots');
process.stdout.write(JSON.stringify(schema));
