import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { driverModules } from './driver-modules.ts';

const folder = import.meta.dirname;
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .map((name) => name.slice(0, -'.py'.length));

test.each(names)('the text of %s.py is in a module', async (name) => {
  const text = readFileSync(`${folder}/${name}.py`, 'utf8');
  expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
  const quoted = text.replaceAll(/[\\`]|\$\{/g, '\\$&');
  await expect(`// The text of ${name}.py: see driver-modules.ts.

export const ${name}Text = \`${quoted}\`;
`).toMatchFileSnapshot(`${folder}/${name}-text.ts`);
});

test('all of them are modules of the driver', () => {
  expect(driverModules.map(([name]) => name).toSorted()).toEqual(names);
});
