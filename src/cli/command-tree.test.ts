import { expect, test } from 'vitest';
import { createCommandTree } from './command-tree.ts';
import { createTerminal } from './text/terminal.ts';

async function toldOf(...args: readonly string[]): Promise<string> {
  let notes = '';
  const out = { write: () => true, once: () => undefined };
  const err = { ...out, write: (text: string) => ((notes += text), true) };
  const program = createCommandTree({
    terminal: createTerminal(out, err, { NO_COLOR: '1' }),
    folder: '.',
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  });
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow('unknown command');
  return notes;
}

test('who looks for a command to record is told what records', async () => {
  expect(await toldOf('record', 'night.ndjson')).toBe(
    "muster: unknown command 'record'\n" +
      '(A coordinator records itself while it works: muster serve --record FILE)\n' +
      '(--help shows how it is used)\n',
  );
});

test('another unknown command is answered with those that are called alike', async () => {
  const notes = await toldOf('jbos');
  expect(notes).toMatch(/^muster: unknown command 'jbos'\n\(Did you mean .*job/);
});
