// The cases of `executor.cases.ts` in processes of this machine, and what concerns processes alone.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { chooseConfinement } from '../../src/worker/node/confinement.ts';
import { sandboxEntry } from '../../src/worker/node/entry-points.ts';
import { PidFiles } from '../../src/worker/node/pid-files.ts';
import { ExecutorHarness } from '../support/executor-harness.ts';
import { pcPlace } from '../support/pc-place.ts';
import { programOf, valueOf } from '../support/task-harness.ts';
import { executorCases } from './executor.cases.ts';

executorCases(pcPlace());

describe.each(['off', 'auto'] as const)('processes with bubblewrap %s', (isolation) => {
  // Of a function that never lets the event loop turn, nothing but the order beside the messages is heard.
  const waiting = (then: string) => `export default (input, task) => {
    while (!task.cancelled);
    ${then}
  }`;

  test('a plain function that looks whether it shall stop gives way, and its child lives on', async () => {
    const inner = new ExecutorHarness({ isolation, softKillMs: 60_000 });
    onTestFinished(() => inner.close());
    const [pid] = inner.children();
    const [key, next] = inner.give(programOf(waiting("throw new Error('left')")), [1, 2]);
    await inner.untilStarted(key!);
    inner.executor.stop(0, key!, 'cancelled');
    expect(await inner.ends([key!])).toEqual([{ type: 'stopped', key, reason: 'cancelled' }]);
    // The order was for one of them: the other still runs.
    await inner.untilStarted(next!);
    inner.executor.stop(0, next!, 'revoked');
    expect(await inner.ends([next!])).toMatchObject([{ type: 'stopped', reason: 'revoked' }]);
    expect(inner.children()).toEqual([pid]);
  });

  test.each(['leaving', 'cancelled'] as const)(
    'a plain function that is stopped (%s) may leave a last checkpoint if it will be resumed',
    async (reason) => {
      const inner = new ExecutorHarness({ isolation, softKillMs: 60_000 });
      onTestFinished(() => inner.close());
      const source = waiting("task.checkpoint({ at: 1 }); throw new Error('left')");
      const [key] = inner.give(programOf(source), [1]);
      await inner.untilStarted(key!);
      inner.executor.stop(0, key!, reason);
      expect(await inner.ends([key!])).toEqual([{ type: 'stopped', key, reason }]);
      expect(inner.statesOf(key!)).toEqual(reason === 'leaving' ? ['{"at":1}'] : []);
    },
  );
});

describe('processes', () => {
  // Messages wait in a process until its agent reads them; those of a thread leave it at once.
  test('may print without end: what the agent has not read yet is no memory of theirs', async () => {
    const pace = { outputMessagesPerSecond: 100_000, memoryLimitMb: 64 };
    const inner = new ExecutorHarness({ isolation: 'off', ...pace });
    onTestFinished(() => inner.close());
    const source = `export default (lines) => {
      const line = 'x'.repeat(1000);
      for (let i = 0; i < lines; i++) console.log(line);
      console.log('the end');
      return lines;
    }`;
    const program = { ...programOf(source), keepOutput: 'always' } as const;
    const end = await inner.run(program, 200_000);
    expect(valueOf(end)).toBe(200_000);
    expect(end).toMatchObject({ output: expect.stringMatching(/^x{1000}\n[^]*the end\n$/) });
  });

  // How large a thread of a browser has become cannot be read from outside.
  test('are replaced when they have grown past half their limit', async () => {
    const source = `const kept = []; export default (n) => {
      for (let i = 0; i < n; i++) kept.push(new Uint8Array(1e6).fill(1)); return kept.length }`;
    const inner = new ExecutorHarness({ isolation: 'off', memoryLimitMb: 400 });
    try {
      expect(valueOf(await inner.run(source, 250))).toBe(250);
      // The memory is measured only from time to time, so some tasks may still run in the old child.
      const values: unknown[] = [];
      do values.push(valueOf(await inner.run(source, 0)));
      while (values.at(-1) !== 0);
      expect(values.length).toBeLessThan(10_000);
    } finally {
      await inner.executor.close();
    }
  });

  test('all end with their executor, and no event comes afterwards', async () => {
    const inner = new ExecutorHarness({ slots: 2 });
    inner.give(programOf('export default () => { for (;;); }'), [1]);
    await inner.until(() => inner.events.some(({ type }) => type === 'started'));
    const pids = inner.executor.childPids();
    expect(pids).toHaveLength(2);
    const events = inner.events.length;
    await inner.executor.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(inner.events).toHaveLength(events);
  });

  test.each(['off', 'auto'])(
    'busy ones end with an agent that is killed (bubblewrap %s)',
    async (bubblewrap) => {
      const script = fileURLToPath(new URL('../fixtures/busy-agent.ts', import.meta.url));
      const agent = spawn(process.execPath, [script, bubblewrap], {
        env: { ...process.env, TMPDIR: temporaryFolder() },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output] = (await once(agent.stdout, 'data')) as [Buffer];
      const pid = Number(output.toString());
      expect(isAlive(pid)).toBe(true);
      agent.kill('SIGKILL');
      await once(agent, 'exit');
      if (chooseConfinement(process.execPath, 'auto').endsWithAgent) {
        await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
      } else {
        process.kill(pid, 'SIGKILL');
      }
    },
  );

  test('are started again after something has cleaned away the temporary folder', async () => {
    const stateDir = temporaryFolder();
    const cleaned = new ExecutorHarness({ stateDir });
    onTestFinished(() => cleaned.executor.close());
    expect(valueOf(await cleaned.run('export default () => 1'))).toBe(1);
    rmSync(readFileSync(join(stateDir, 'sandbox-folder'), 'utf8'), { recursive: true });
    const owner = 'another';
    expect(valueOf(await cleaned.run('export default () => 2', null, { owner }))).toBe(2);
  });

  test('left over by an agent without help of the kernel are ended by the next one', async () => {
    const folder = temporaryFolder();
    const loop = 'setInterval(() => {}, 1000); console.log(1)';
    const leftOver = await startProcess(['-e', loop, '--', sandboxEntry]);
    const stranger = await startProcess(['-e', loop]);
    try {
      const pids = new PidFiles(folder);
      pids.add(leftOver.pid!);
      pids.add(stranger.pid!);
      writeFileSync(join(folder, 'not-a-pid'), '');
      const ended = once(leftOver, 'exit');
      new PidFiles(folder).reap();
      expect(await ended).toEqual([null, 'SIGKILL']);
      expect(isAlive(stranger.pid!)).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      leftOver.kill('SIGKILL');
      stranger.kill('SIGKILL');
    }
  });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

async function startProcess(args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return child;
}

/** True when the process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
