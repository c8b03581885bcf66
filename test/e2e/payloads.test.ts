// The cases of `payloads.cases.ts` in processes of this machine, and the folders in which their files are.

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { pcPlace } from '../support/pc-place.ts';
import { programOf, valueOf } from '../support/task-harness.ts';
import { payloadsCases } from './payloads.cases.ts';

payloadsCases(pcPlace());
payloadsCases(pcPlace('auto'));

describe.each(['off', 'auto'] as const)('the folder of a child (bubblewrap %s)', (isolation) => {
  const sha256 = 'ef'.repeat(32);

  function stage() {
    const stateDir = mkdtempSync(join(tmpdir(), 'muster-payloads-'));
    const path = join(stateDir, 'blob');
    writeFileSync(path, '[1,2,3]');
    const harness = new ExecutorHarness({ isolation, stateDir });
    onTestFinished(async () => {
      await harness.close();
      rmSync(stateDir, { recursive: true });
    });
    const blobs = new Map([[sha256, { path, sizeBytes: 7 }]]);
    const sharedJson = JSON.stringify({ $blob: sha256 });
    const source = 'export default (input, task) => task.shared.length';
    const program = { ...programOf(source), jobId: 'of-files', blobs, sharedJson };
    const folders = () => readdirSync(join(stateDir, 'sandbox-children'));
    return { harness, program, path, stateDir, folders };
  }

  test('has a link to the file while the child knows the job', async () => {
    const { harness, program, path } = stage();
    expect(valueOf(await harness.run(program))).toBe(3);
    expect(statSync(path).nlink).toBe(2);
    harness.executor.forget('of-files');
    expect(statSync(path).nlink).toBe(1);
    expect(valueOf(await harness.run(program))).toBe(3);
  });

  test('goes with its child, and all of them with their executor', async () => {
    const { harness, program, path, stateDir, folders } = stage();
    expect(valueOf(await harness.run(program))).toBe(3);
    const [before] = folders();
    harness.crash();
    await vi.waitUntil(() => !folders().includes(before!), { interval: 10, timeout: 60_000 });
    expect(valueOf(await harness.run(program))).toBe(3);
    expect(statSync(path).nlink).toBe(2);
    await harness.close();
    expect(readdirSync(stateDir)).not.toContain('sandbox-children');
    expect(statSync(path).nlink).toBe(1);
  });

  test('that cannot have the file fails the attempts, and the child goes on', async () => {
    const { harness, program, path } = stage();
    rmSync(path);
    const ends = await harness.ends(harness.give(program, [1, 2]));
    for (const end of ends) {
      expect(end).toMatchObject({ errorType: 'file_unavailable', retryable: true });
    }
    expect(valueOf(await harness.run('export default (n) => n + 1', 41))).toBe(42);
    writeFileSync(path, '[1]');
    expect(valueOf(await harness.run(program))).toBe(1);
  });
});
