// Values that a JSON Schema of the published document allows, as arbitraries of fast-check. It knows
// the words that these schemas use, and says so when it meets another.

import fc from 'fast-check';
import type { OpenApiDocument } from './published-document.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export function valueOf(schema: object, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const { $ref, type, anyOf, ...rest } = schema as Schema;
  if ($ref !== undefined) return valueOf(resolved($ref, document), document);
  if (rest.const !== undefined) return fc.constant(rest.const);
  if (rest.enum !== undefined) return fc.constantFrom(...rest.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => valueOf(each, document)));
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((each: string) => valueOf({ ...schema, type: each }, document)));
  }
  switch (type) {
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((value) => within(value, rest));
    case 'number':
      return fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((value) => within(value, rest));
    case 'string':
      return textOf(rest);
    case 'array':
      return fc.array(valueOf(rest.items ?? {}, document), {
        minLength: rest.minItems ?? 0,
        maxLength: Math.min(rest.maxItems ?? 4, 4),
      });
    case 'object':
      return objectOf(rest, document);
    default:
      throw new Error(`a schema of the unknown type ${String(type)}`);
  }
}

function resolved(ref: string, document: OpenApiDocument): object {
  const name = ref.replace('#/components/schemas/', '');
  return document.components.schemas[name]!;
}

function within(value: number, { minimum = -1e12, maximum = 1e12 }: Schema): number {
  return Math.min(maximum, Math.max(minimum, value));
}

function textOf({ minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
}

function objectOf(schema: Schema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties } = schema;
  if (properties === undefined) {
    const inner = typeof additionalProperties === 'object' ? additionalProperties : {};
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), valueOf(inner, document), {
      maxKeys: 3,
    });
  }
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    valueOf(field, document),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...required],
  });
}
