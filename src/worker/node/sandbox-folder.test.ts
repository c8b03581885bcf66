import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SandboxFolder } from './sandbox-folder.ts';

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'muster-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('is removed, with its note', () => {
  const stateDir = temporary();
  const folder = new SandboxFolder(stateDir);
  expect(readFileSync(join(stateDir, 'sandbox-folder'), 'utf8')).toBe(folder.path);
  folder.remove();
  expect([folder.path, join(stateDir, 'sandbox-folder')].map(existsSync)).toEqual([false, false]);
});

test('left behind by an agent that was killed, is removed by the next one', () => {
  const stateDir = temporary();
  const leftBehind = new SandboxFolder(stateDir);
  writeFileSync(join(leftBehind.path, 'position-1'), '');
  const next = new SandboxFolder(stateDir);
  onTestFinished(() => next.remove());
  expect(existsSync(leftBehind.path)).toBe(false);
  expect(existsSync(next.emptyPath)).toBe(true);
});

test('has the folders of children beside the blobs, if there is a state directory, and clears what was left', () => {
  const stateDir = temporary();
  const leftBehind = new SandboxFolder(stateDir);
  const path = join(stateDir, 'sandbox-children');
  expect(leftBehind.childrenPath).toBe(path);
  writeFileSync(join(path, '1'), '');
  rmSync(leftBehind.path, { recursive: true });
  const next = new SandboxFolder(stateDir);
  expect(readdirSync(path)).toEqual([]);
  rmSync(path, { recursive: true });
  next.makeAgainIfGone();
  expect(existsSync(path)).toBe(true);
  next.remove();
  expect(existsSync(path)).toBe(false);
  const stateless = new SandboxFolder(null);
  onTestFinished(() => stateless.remove());
  expect(stateless.childrenPath).toBe(join(stateless.path, 'children'));
});

test.runIf(process.platform !== 'win32')(
  'keeps its note from others, also where an older agent left one for everybody',
  () => {
    const stateDir = temporary();
    const notePath = join(stateDir, 'sandbox-folder');
    writeFileSync(notePath, '');
    chmodSync(notePath, 0o644);
    const folder = new SandboxFolder(stateDir);
    onTestFinished(() => folder.remove());
    expect(statSync(notePath).mode & 0o777).toBe(0o600);
  },
);

test('removes nothing that is no such folder, whatever the note says', () => {
  const stateDir = temporary();
  const precious = temporary();
  writeFileSync(join(stateDir, 'sandbox-folder'), precious);
  const folder = new SandboxFolder(stateDir);
  onTestFinished(() => folder.remove());
  expect(existsSync(precious)).toBe(true);
});

test('is made again, under another name, when something has cleaned it away', () => {
  const stateDir = temporary();
  const folder = new SandboxFolder(stateDir);
  onTestFinished(() => folder.remove());
  const before = folder.path;
  folder.makeAgainIfGone();
  expect(folder.path).toBe(before);
  rmSync(before, { recursive: true });
  folder.makeAgainIfGone();
  expect(folder.path).not.toBe(before);
  expect(existsSync(folder.emptyPath)).toBe(true);
  expect(readFileSync(join(stateDir, 'sandbox-folder'), 'utf8')).toBe(folder.path);
});
