// An export goes to stdout, or into a file that is there only when it is whole.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportedColumns } from '../../protocol/exported-attempts.ts';
import { createCommandTree } from '../command-tree.ts';
import { createTerminal } from '../text/terminal.ts';

const row = Object.fromEntries(
  exportedColumns.map((name) => [name, name === 'job_name' ? 'a\nb' : name === 'index' ? 0 : null]),
);
const line = `${JSON.stringify(row)}\n`;
const head = exportedColumns.join(',');

async function run(listener: RequestListener, args: readonly string[], isTTY = false) {
  const server = createServer(listener);
  const folder = mkdtempSync(join(tmpdir(), 'muster-export-'));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said = { out: '', notes: '' };
  const sink = (name: keyof typeof said) => ({
    isTTY,
    write: (text: string) => ((said[name] += text), true),
    once: () => undefined,
  });
  const context = {
    terminal: createTerminal(sink('out'), sink('notes'), { NO_COLOR: '1' }),
    folder,
    environment: {},
    version: '0.0.0',
    exit: () => {},
    outliveReader: () => {},
  };
  const running = createCommandTree(context).parseAsync(['export', ...args, '--url', url], {
    from: 'user',
  });
  const error = await running.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  return { ...said, error, folder };
}

const whole: RequestListener = (_request, reply) =>
  void reply.setHeader('content-type', 'application/x-ndjson').end(line + line);

const broken: RequestListener = (_request, reply) => {
  reply.setHeader('content-type', 'application/x-ndjson');
  reply.write(line, () => void reply.destroy());
};

const csvRow = exportedColumns
  .map((name) => (name === 'job_name' ? '"a\nb"' : name === 'index' ? '0' : ''))
  .join(',');

test('goes to stdout as a table', async () => {
  const { out, notes, error } = await run(whole, []);
  expect(error).toBeUndefined();
  expect(out).toBe(`${head}\r\n${csvRow}\r\n${csvRow}\r\n`);
  expect(notes).toBe('');
});

test('goes to stdout as lines', async () => {
  const { out } = await run(whole, ['--format', 'ndjson']);
  expect(out).toBe(line + line);
});

test('is a line for each row on a screen, whatever names hold', async () => {
  const { out } = await run(whole, [], true);
  expect(out.split('\n')).toHaveLength(4);
  expect(out).not.toContain('\r');
});

test.each([
  ['all.csv', `${head}\r\n${csvRow}\r\n${csvRow}\r\n`],
  ['all.ndjson', line + line],
  ['all.jsonl', line + line],
])('goes into %s in the form of its ending', async (name, text) => {
  const { notes, folder, out } = await run(whole, ['--out', name]);
  expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  expect(notes).toBe(`2 attempts written to ${name}\n`);
  expect(out).toBe('');
});

test('the count at the bottom of a terminal is gone at the end', async () => {
  const { notes } = await run(whole, ['--out', 'all.csv'], true);
  expect(notes).toContain('1 attempt so far');
  expect(notes.endsWith('2 attempts written to all.csv\n')).toBe(true);
});

test('that breaks off leaves no file, and says why', async () => {
  const { error, folder, notes } = await run(broken, ['--out', 'all.csv']);
  expect(error).toMatchObject({ reason: 'interrupted' });
  expect(existsSync(join(folder, 'all.csv'))).toBe(false);
  expect(notes).toBe('');
});

test.each([
  [['--format', 'xlsx'], 'a format'],
  [['--since', 'yesterday'], 'is not a moment'],
  [['--out', 'no/such/folder.csv'], 'its folder does not exist'],
])('refuses %s in a sentence', async (args, sentence) => {
  const { error, notes } = await run(whole, args);
  expect(`${error?.message}${notes}`).toContain(sentence);
});
