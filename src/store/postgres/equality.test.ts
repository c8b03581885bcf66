import { expect, test } from 'vitest';
import { expectAlike } from '../conformance/equality.ts';
import { openPostgresStore } from './open.ts';
import { makeSchema, type TestSchema } from './testing/schemas.ts';

test('memory and postgres answer alike after any sequence of writes', async () => {
  const schemas: TestSchema[] = [];
  const open = () => {
    const schema = makeSchema();
    schemas.push(schema);
    return openPostgresStore(schema.address, { connections: 2 });
  };
  try {
    // Each run asks thousands of questions, of which each is a way to the server and back.
    const compared = expectAlike(open, Number(process.env['MUSTER_TEST_RUNS'] ?? 6));
    await expect(compared).resolves.toBeUndefined();
  } finally {
    for (const schema of schemas) await schema.remove();
  }
}, 600_000);
