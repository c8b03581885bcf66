import { spawnSync } from 'node:child_process';
import fs, {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeExclusively, readExclusive } from './exclusive-file.ts';
import { StateDirectory } from './state-directory.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'muster-exclusive-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true, force: true });
});

function forbidLinks(code: string): void {
  vi.spyOn(fs, 'linkSync').mockImplementation(() => {
    throw Object.assign(new Error(`${code}: not here`), { code });
  });
  syncBuiltinESMExports();
}

describe.each(['links are allowed', 'EACCES', 'EPERM'])(
  'where of hard links is said: %s',
  (said) => {
    beforeEach(() => {
      if (said !== 'links are allowed') forbidLinks(said);
    });

    test('the first to make a file has made it, and its content is whole', () => {
      const draft = join(root, 'draft');
      const file = join(root, 'file');
      writeFileSync(draft, '{"pid":1}');
      expect(readExclusive(file)).toBeNull();
      expect(makeExclusively(draft, file)).toBe(true);
      writeFileSync(draft, '{"pid":2}');
      const isMade = makeExclusively(draft, file);
      expect(isMade).toBe(false);
      const moved = join(root, 'moved');
      renameSync(file, moved);
      expect(makeExclusively(moved, file)).toBe(true);
      expect(readExclusive(file)).toBe(readExclusive(moved));
    });

    test('a state directory is for one worker at a time, and taken over from one that was killed', () => {
      const first = StateDirectory.open(root);
      expect(first.wasLeftBehind).toBe(false);
      expect(() => StateDirectory.open(root)).toThrow(/in use by the worker with process id/);
      first.close();
      expect(readdirSync(root)).toEqual([]);
      const { pid } = spawnSync(process.execPath, ['--version']);
      const draft = join(root, 'draft');
      writeFileSync(draft, JSON.stringify({ pid, started: null }));
      makeExclusively(draft, join(root, 'lock'));
      rmSync(draft);
      const second = StateDirectory.open(root);
      expect(second.wasLeftBehind).toBe(true);
      second.close();
      expect(existsSync(join(root, 'lock'))).toBe(false);
    });
  },
);

test('another fault is told', () => {
  forbidLinks('EIO');
  const draft = join(root, 'draft');
  writeFileSync(draft, 'x');
  expect(() => makeExclusively(draft, join(root, 'file'))).toThrow('EIO');
});
