import { describe, expect, test } from 'vitest';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';

/** What the parser of the arguments says to stderr. */
async function refusalOf(...args: readonly string[]): Promise<string> {
  let said = '';
  const sink = { write: (text: string) => ((said += text), true), once: () => undefined };
  const tree = createCommandTree({
    terminal: createTerminal(sink, sink, {}),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  });
  await expect(tree.parseAsync(args, { from: 'user' })).rejects.toThrow(/^error: /);
  return said;
}

describe('a pattern that the shell has taken apart', () => {
  test.each(['submit', 'try'])('is told to stand in quotes by %s', async (command) => {
    const said = await refusalOf(command, 'p.ts', '--files', 'a.csv', 'b.csv', 'c.csv');
    expect(said).toContain('too many arguments');
    expect(said).toContain("In quotes it stays one:  --files 'data/*.csv'");
  });

  test('is not thought of where there is none', async () => {
    expect(await refusalOf('submit', 'p.ts', 'more.ts')).not.toContain('quotes');
    expect(await refusalOf('submit', '--files', 'a.csv')).not.toContain('In quotes');
  });
});
