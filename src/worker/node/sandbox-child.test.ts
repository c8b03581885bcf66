import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Child } from '../slots/child.ts';
import { SandboxChild } from './sandbox-child.ts';

test('a process for which spawn throws is a child that has ended, with the reason', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const limits = { resultLimitBytes: 1, outputLimitBytes: 1, stateLimitBytes: 1 };
  try {
    const ended = await new Promise<Child>((resolve) => {
      const child = new SandboxChild({
        // Node throws at a name with a zero in it.
        confinement: {
          isolation: 'ses',
          walls: [],
          endsWithAgent: true,
          filter: null,
          command: () => ({ file: 'no\0file', args: [] }),
        },
        emptyFolder: folder,
        ownFolder: folder,
        childFolders: folder,
        serves: 'javascript',
        memoryLimitMb: 1,
        settings: { sesPath: '', outputMessagesPerSecond: 100, ...limits },
        onStarted: () => expect.unreachable(),
        code: null,
        onReady: () => {},
        onEnded: () => {},
      });
      child.listener = { childReady: () => {}, childSaid: () => {}, childEnded: resolve };
    });
    expect(ended).toMatchObject({ hasEnded: true, isReady: false, pid: undefined });
    expect(ended.output).toContain('null bytes');
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
