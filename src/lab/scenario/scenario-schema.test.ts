// The published schema is what is checked: `-u` writes it anew.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { scenarioSchema } from './scenario-schema.ts';

test('docs/reference/scenario.schema.json is the schema that files are checked with', async () => {
  const schema = z.toJSONSchema(scenarioSchema, { io: 'input', reused: 'ref' });
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
    '../../../docs/reference/scenario.schema.json',
  );
});
