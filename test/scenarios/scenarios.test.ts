// Plays every scenario and compares what is printed with what the file says. After a change that was
// meant, rewrite the files and read the difference before it is committed:
//
//   UPDATE_SCENARIOS=1 npx vitest run test/scenarios

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatScenario, parseScenario, playScenario } from './scenario.ts';

const folder = import.meta.dirname;
const isRewriting = process.env['UPDATE_SCENARIOS'] === '1';

describe('the scenario', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  test.each(files)('%s prints what it says', async (name) => {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const played = formatScenario(await playScenario(parseScenario(text)));
    if (isRewriting) writeFileSync(path, played);
    else expect(played).toBe(text);
  });

  test.each(files)('%s says in two sentences what it is for', (name) => {
    const { purpose, blocks } = parseScenario(readFileSync(join(folder, name), 'utf8'));
    const sentences = purpose
      .replaceAll(/\n?# /g, ' ')
      .trim()
      .split(/(?<=[.?])\s+/);
    expect(purpose.split('\n').every((line) => line.startsWith('# '))).toBe(true);
    expect(sentences).toHaveLength(2);
    expect(blocks.length).toBeGreaterThan(2);
  });

  test('fails with the names of the verbs when it holds an unknown one', async () => {
    const scenario = parseScenario('# A. B.\n\nexplode\n----\n');
    await expect(playScenario(scenario)).rejects.toThrow(/no verb "explode"; there are worker, /);
  });
});
