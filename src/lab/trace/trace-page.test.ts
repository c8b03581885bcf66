// The reference page is compared with the form.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { headSchema, recordSchema, traceVersion } from './trace-format.ts';

const page = readFileSync(new URL('../../../docs/reference/trace.md', import.meta.url), 'utf8');

/** By type of record: the fields that the page tells of it. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const sections = page.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [, type = ''] = /^`(\w+)`/.exec(section) ?? [];
      const rows = section.matchAll(/^\| (`[^|]*) \|/gm);
      const fields = [...rows].flatMap(([, names = '']) =>
        [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
      );
      return [type, fields];
    }),
  );
}

test('docs/reference/trace.md has every type of record with all its fields, and no other', () => {
  const shapes = [headSchema, ...recordSchema.options].map(({ shape }) => shape);
  const form = new Map(
    shapes.map((shape) => [
      shape.type.value as string,
      Object.keys(shape).filter((field) => field !== 'type'),
    ]),
  );
  const told = documented();
  expect([...told.keys()].toSorted()).toEqual([...form.keys()].toSorted());
  for (const [type, fields] of form) {
    expect(told.get(type)!.toSorted(), type).toEqual(fields.toSorted());
  }
  expect(page).toContain(`This page is about version ${traceVersion} of the form.`);
});
