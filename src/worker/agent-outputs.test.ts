// What the agent is told from outside while it works, and what it gives its platform to keep. Socket and executor have
// nothing behind them.

import { expect, test } from 'vitest';
import { DoublingExecutor } from '../../test/support/doubling-executor.ts';
import type { WorkerMessage } from '../protocol/messages.ts';
import { Agent, type AgentPlatform, type SocketListener, type WorkerLogEntry } from './agent.ts';
import { WorkerMachine } from './machine/machine.ts';
import { key, program, task } from './machine/testing/scripted-machine.ts';

class Stage {
  readonly done: string[] = [];
  readonly sent: WorkerMessage[] = [];
  readonly logged: WorkerLogEntry[] = [];
  readonly agent: Agent;
  private listener: SocketListener | null = null;
  private nowMs = 0;

  constructor(keep: AgentPlatform['keep']) {
    this.agent = new Agent({
      createExecutor: (listener) => new DoublingExecutor().open(4, listener),
      createMachine: ({ slots }) =>
        new WorkerMachine({
          device: { type: 'browser', platform: 'linux' },
          slots,
          identity: null,
          instance: 'first',
          random: () => 0,
          telemetry: () => ({}),
          keepsReports: true,
        }),
      openSocket: (listener) => {
        this.listener = listener;
        return {
          send: (messages) => {
            this.done.push(...messages.map(({ type }) => type));
            this.sent.push(...messages);
          },
          close: () => Promise.resolve(),
        };
      },
      saveIdentity: () => {},
      forgetIdentity: () => {},
      ...(keep === undefined ? {} : { keep }),
      letGo: (keys) => this.done.push(`let go ${keys.join(' ')}`),
      nowMs: () => (this.nowMs += 1),
      log: (entry) => this.logged.push(entry),
      release: () => {},
    });
  }

  connect(): void {
    const { listener } = this;
    listener?.opened();
    const times = { heartbeat_interval_seconds: 5, lease_seconds: 15 };
    const about = { type: 'welcome', protocol: 1, worker_id: 'w1', drain: false } as const;
    listener?.frame([{ ...about, ...times, stop: [] }]);
  }

  assign(): void {
    const about = { type: 'assign', sequence: 1, programs: { job: program } } as const;
    this.listener?.frame([{ ...about, assignments: [task(1)] }]);
  }

  acknowledge(): void {
    const accepted = [{ task_id: 'job-1', attempt: 1, kind: 'result' }] as const;
    this.listener?.frame([{ type: 'ack', accepted }]);
  }

  async end(): Promise<void> {
    this.agent.stop();
    this.agent.stop();
    this.agent.stop();
    await this.agent.done;
  }
}

test('gives a report to its platform before it sends it, and takes it back when it is answered', async () => {
  const stage = new Stage((reports) => stage.done.push(`keep ${reports[0]?.key}`));
  stage.connect();
  stage.assign();
  await expect.poll(() => stage.done).toContain('result');
  stage.acknowledge();
  expect(stage.done.slice(-3)).toEqual([`keep ${key(1)}`, 'result', `let go ${key(1)}`]);
  await stage.end();
});

test('sends a report that its platform cannot keep, and says so', async () => {
  const stage = new Stage(() => {
    throw new Error('The storage is full.');
  });
  stage.connect();
  stage.assign();
  await expect.poll(() => stage.done).toContain('result');
  const complaint = { level: 'error', event: 'report_not_kept', detail: 'The storage is full.' };
  expect(stage.logged).toContainEqual(complaint);
  await stage.end();
});

test('rests when it is told to, and goes on', async () => {
  const stage = new Stage(undefined);
  stage.connect();
  stage.agent.rest({ because: 'battery', keeps: false });
  expect(stage.sent.at(-1)).toMatchObject({ type: 'heartbeat', rest: { because: 'battery' } });
  stage.assign();
  expect(stage.sent.at(-1)).toMatchObject({ type: 'release' });
  stage.agent.rest(null);
  expect(stage.sent.at(-1)).not.toHaveProperty('rest');
  await stage.end();
});

test.each([
  [2, 2],
  [0, 1],
  [9, 4],
  [2.9, 2],
  [Number.NaN, 1],
])('uses at least one slot and at most those of its executor: of %d, %d', async (told, used) => {
  const stage = new Stage(undefined);
  stage.agent.setSlots(told);
  stage.connect();
  expect(stage.sent[0]).toMatchObject({ type: 'hello', device: { slots: used } });
  await stage.end();
});
