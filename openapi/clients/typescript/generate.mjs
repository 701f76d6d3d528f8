// Writes the types of an OpenAPI document: node generate.mjs DOCUMENT OUTPUT
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const { factory } = ts;
const [document, output] = process.argv.slice(2);
const keyword = (kind) => factory.createKeywordTypeNode(kind);

/**
 * The type of a string with known values: "a" | "b" | (string & {}). Editors offer the known values, and any other
 * string is valid too.
 */
function knownValues(schema) {
  const known = schema["x-extensible-enum"];
  if (!known) return undefined;
  const types = known.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)));
  types.push(factory.createIntersectionTypeNode([keyword(ts.SyntaxKind.StringKeyword), factory.createTypeLiteralNode([])]));
  if (schema.type.includes("null")) types.push(factory.createLiteralTypeNode(factory.createNull()));
  return factory.createParenthesizedType(factory.createUnionTypeNode(types));
}

const types = await openapiTS(pathToFileURL(document), { transform: knownValues });
writeFileSync(output, `/** Generated from an OpenAPI document by generate.mjs. Do not edit. */\n\n${astToString(types)}`);
