import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { auditEntry } from '../../store/conformance/rows.ts';
import { AuditFile, auditFilePath } from './audit-file.ts';

let folder: string;
let path: string;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-audit-'));
  path = auditFilePath(folder);
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const log = { error: (text: string) => said.push(text), warn: (text: string) => said.push(text) };
const lines = (file = path) => readFileSync(file, 'utf8').trimEnd().split('\n');
const objects = (file = path) => lines(file).map((line) => JSON.parse(line).object);

async function write(...numbers: number[]): Promise<void> {
  const file = new AuditFile({ path }, log);
  file.add(numbers.map((number) => auditEntry(number)));
  await file.stop();
}

test('writes a line of JSON for each entry, in a file that nobody else may read', async () => {
  await write(1, 2);
  await write(3);
  expect(objects()).toEqual(['job-1', 'job-2', 'job-3']);
  expect(JSON.parse(lines()[0]!)).toEqual({
    at: new Date(auditEntry(1).at).toISOString(),
    action: 'job.cancel',
    object: 'job-1',
    outcome: 'done',
    code: null,
    count: 1,
    token_id: 'token1',
    role: 'client',
    owner: 'ann',
    address: '192.0.2.1',
  });
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a line that a crash has cut off does not spoil the next', async () => {
  await write(1);
  appendFileSync(path, '{"at":"2026-');
  await write(2);
  const [first, torn, next] = lines();
  expect(torn).toBe('{"at":"2026-');
  expect([first, next].map((line) => JSON.parse(line!).object)).toEqual(['job-1', 'job-2']);
});

test('sets a file aside when it is large, and keeps eight of them', async () => {
  const file = new AuditFile({ path, mostBytes: 1 }, log);
  for (let number = 1; number <= 11; number++) {
    file.add([auditEntry(number)]);
    await file.stop();
  }
  const kept = Array.from({ length: 8 }, (_, index) => `audit.${index + 1}.ndjson`);
  expect(readdirSync(folder).sort()).toEqual(kept);
  expect(kept.map((name) => objects(join(folder, name))[0])).toEqual(
    Array.from({ length: 8 }, (_, index) => `job-${11 - index}`),
  );
});

test('on a full disk it says so once, and goes on where it was when there is room', async () => {
  let room = 250;
  const openFile = async () => {
    const file = await open(path, 'a+');
    return {
      stat: () => file.stat(),
      read: file.read.bind(file),
      close: () => file.close(),
      appendFile: async (text: string) => {
        const bytes = Buffer.from(text);
        await file.appendFile(bytes.subarray(0, room));
        if (bytes.length <= room) return;
        room = 0;
        throw new Error('ENOSPC: no space left on device');
      },
    } as unknown as Awaited<ReturnType<typeof open>>;
  };
  const file = new AuditFile({ path, openFile }, log);
  file.add([1, 2, 3].map((number) => auditEntry(number)));
  await file.stop();
  file.add([auditEntry(4)]);
  await file.stop();
  room = Infinity;
  await file.stop();
  expect(said).toEqual([
    expect.stringMatching(/cannot be written to .*no space left.*Work goes on/),
    expect.stringMatching(/is written to .* again\.$/),
  ]);
  const whole = lines().filter((line) => line.endsWith('}'));
  expect(whole.map((line) => JSON.parse(line).object)).toEqual([
    'job-1',
    'job-2',
    'job-3',
    'job-4',
  ]);
});

test('while it cannot be written, what waits is bounded, and what is left out is told', async () => {
  let isFull = true;
  const openFile = async () => {
    if (isFull) throw new Error('full');
    return open(path, 'a+');
  };
  const file = new AuditFile({ path, openFile }, log);
  file.add(Array.from({ length: 10_100 }, (_, number) => auditEntry(number)));
  await file.stop();
  isFull = false;
  await file.stop();
  expect(lines()).toHaveLength(10_000);
  expect(said.at(-1)).toMatch(/again; 100 entries are in the database alone/);
});
