// Declarations of schemas without zod, for those who do not have it: as much of a module of schemas as the
// types of the SDK use, which is what a schema gives out, made from the schema itself.

import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** `names`: the exported schemas, records of schemas and lists of names that are used. */
export function schemaDeclarations(
  module: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string {
  return names
    .map((name) => `export declare const ${name}: ${declared(name, module[name])};\n`)
    .join('');
}

function declared(name: string, exported: unknown): string {
  if (exported instanceof z.ZodType) {
    return `{ readonly _zod: { readonly output: ${typeOf(z.toJSONSchema(exported))} } }`;
  }
  if (isListOfNames(exported)) {
    return `readonly [${exported.map((each) => JSON.stringify(each)).join(', ')}]`;
  }
  if (typeof exported !== 'object' || exported === null) {
    throw new Error(`The SDK uses "${name}", which is not a schema, from a module of schemas.`);
  }
  const entries = Object.entries(exported).map(
    ([key, schema]) => `  readonly ${key}: ${declared(key, schema)};\n`,
  );
  return `{\n${entries.join('')}}`;
}

function isListOfNames(exported: unknown): exported is readonly string[] {
  return Array.isArray(exported) && exported.every((each) => typeof each === 'string');
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((each) => typeOf(asSchema(each))).join(' | ');
  const { type } = schema as { readonly type?: string | readonly string[] };
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(asSchema(schema.items))})[]`;
    case 'object':
      return schema.properties === undefined
        ? `Readonly<Record<string, ${typeOf(asSchema(schema.additionalProperties))}>>`
        : `{ ${fields(schema)} }`;
    default:
      throw new Error(`A field cannot be declared: ${JSON.stringify(schema)}`);
  }
}

function fields({ properties = {}, required = [] }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?';
      return `readonly ${name}${mark}: ${typeOf(asSchema(field))}`;
    })
    .join('; ');
}

function asSchema(schema: unknown): JsonSchema {
  if (typeof schema !== 'object' || schema === null) {
    throw new Error(`A field may be anything: ${String(schema)}`);
  }
  return schema as JsonSchema;
}
