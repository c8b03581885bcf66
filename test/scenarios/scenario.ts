// A scenario is a text: two sentences of purpose, then blocks of a command, `----`, and what the
// cluster printed. It runs the production coordinator over a memory disk in virtual time.
//
// Printed are the committed events and, after `w <`, what the coordinator sent to worker `w`. Signs
// of life and acknowledged heartbeats are left out: they are in every interval of every scenario.

import { taskId } from '../../src/core/task-key.ts';
import { payloadText } from '../../src/protocol/codec.ts';
import type { Assignment, CoordinatorMessage, HeldAttempt } from '../../src/protocol/messages.ts';
import type { RecoveryEvent } from '../../src/protocol/resources.ts';
import type { ScriptedWorker } from '../support/scripted-worker.ts';
import { VirtualCluster } from '../support/virtual-cluster.ts';

export interface Block {
  readonly command: string;
  readonly printed: string;
}

export interface ScenarioText {
  /** The comment lines at the top, as they are. */
  readonly purpose: string;
  readonly blocks: readonly Block[];
}

export function parseScenario(text: string): ScenarioText {
  const [purpose = '', ...rest] = text.split(/\n\n+/);
  const blocks = rest
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [command = '', printed = ''] = part.trimEnd().split('\n----\n');
      return { command: command.replace(/\n----$/, ''), printed };
    });
  return { purpose, blocks };
}

export function formatScenario({ purpose, blocks }: ScenarioText): string {
  const parts = blocks.map(({ command, printed }) =>
    printed === '' ? `${command}\n----` : `${command}\n----\n${printed}`,
  );
  return `${[purpose, ...parts].join('\n\n')}\n`;
}

/** The same scenario with what is printed now. */
export async function playScenario({ purpose, blocks }: ScenarioText): Promise<ScenarioText> {
  const stage = new Stage(await VirtualCluster.start());
  const played: Block[] = [];
  for (const { command } of blocks) {
    played.push({ command, printed: (await stage.run(command)).join('\n') });
  }
  return { purpose, blocks: played };
}

/** The words of a command: plain ones in order, `name=value` by name. */
interface Words {
  readonly plain: readonly string[];
  readonly named: ReadonlyMap<string, string>;
}

type Verb = (words: Words) => Promise<readonly string[] | void> | readonly string[] | void;

class Stage {
  private readonly cluster: VirtualCluster;
  private readonly workers = new Map<string, ScriptedWorker>();
  /** Workers that send no heartbeats: their connection is closed, or hangs. */
  private readonly silent = new Set<string>();

  constructor(cluster: VirtualCluster) {
    this.cluster = cluster;
  }

  async run(command: string): Promise<string[]> {
    const [verb = '', ...rest] = command.trim().split(/\s+/);
    const act = this.verbs[verb];
    if (act === undefined) {
      throw new Error(`no verb "${verb}"; there are ${Object.keys(this.verbs).join(', ')}`);
    }
    const answer = (await act(wordsOf(rest))) ?? [];
    await this.cluster.settle();
    return [...answer, ...this.cluster.takeLines(), ...this.sent()];
  }

  private readonly verbs: Readonly<Record<string, Verb>> = {
    /** worker NAME [slots=N] */
    worker: async ({ plain, named }) => {
      const name = plain[0]!;
      const slots = Number(named.get('slots') ?? 1);
      this.workers.set(name, await this.cluster.join(name, { slots }));
    },
    /**
     * submit NAME [tasks=N] [max_attempts=N] [max_lost_attempts=N] [retry_delay_ms=N]
     * [attempt_timeout_ms=N] [on_task_failure=…] [late_results=…] [max_copies=N]
     */
    submit: async ({ plain, named }) => {
      const number = (key: string, otherwise: number) => Number(named.get(key) ?? otherwise);
      await this.cluster.submit(
        plain[0]!,
        { type: 'range', start: 0, count: number('tasks', 1) },
        {
          maxAttempts: number('max_attempts', 3),
          maxLostAttempts: number('max_lost_attempts', 5),
          retryDelayMs: number('retry_delay_ms', 1000),
          attemptTimeoutMs: named.has('attempt_timeout_ms')
            ? number('attempt_timeout_ms', 0)
            : null,
          onTaskFailure: named.get('on_task_failure') === 'fail_job' ? 'fail_job' : 'continue',
          lateResults: named.get('late_results') === 'reject' ? 'reject' : 'accept',
          speculation: named.has('max_copies')
            ? { maxCopies: number('max_copies', 1), maxShare: 1 }
            : null,
        },
      );
    },
    /** start WORKER TASK… */
    start: ({ plain: [name, ...tasks] }) => this.worker(name).start(...tasks),
    /** checkpoint WORKER TASK SEQUENCE PROGRESS [attempt=N] [state=JSON] */
    checkpoint: ({ plain: [name, task, sequence, progress], named }) => {
      const worker = this.worker(name);
      const ref = worker.ref(task!, optional(named.get('attempt')));
      const state: unknown = JSON.parse(named.get('state') ?? 'null');
      const report = { ...ref, sequence: Number(sequence), progress: Number(progress), state };
      worker.say({ type: 'checkpoint', checkpoints: [report] });
    },
    /** complete WORKER TASK [attempt=N] [value=JSON] [run_ms=N] */
    complete: ({ plain: [name, task], named }) => {
      const worker = this.worker(name);
      const value: unknown = JSON.parse(named.get('value') ?? '1');
      const ref = worker.ref(task!, optional(named.get('attempt')));
      const run_ms = optional(named.get('run_ms'));
      const report = { ...ref, value, ...(run_ms === undefined ? {} : { run_ms }) };
      worker.say({ type: 'result', results: [report] });
    },
    /** fail WORKER TASK [error=TYPE] */
    fail: ({ plain: [name, task], named }) =>
      this.worker(name).fail(task!, { error_type: named.get('error') ?? 'Error' }),
    /** release WORKER TASK… */
    release: ({ plain: [name, ...tasks] }) => this.worker(name).release(...tasks),
    /** close WORKER: its connection breaks. */
    close: ({ plain: [name] }) => {
      this.silent.add(name!);
      this.worker(name).drop();
    },
    /** hang WORKER: the connection stays open and nothing comes any more. */
    hang: ({ plain: [name] }) => void this.silent.add(name!),
    /** hello WORKER [TASK:STATE…]: back on a new connection, with what it names. */
    hello: ({ plain: [name, ...held] }) => {
      const worker = this.worker(name);
      this.silent.delete(name!);
      worker.connect(
        this.cluster.coordinator,
        held.map((each) => {
          const [task, state = 'running'] = each.split(':');
          return worker.held(task!, state as HeldAttempt['state']);
        }),
      );
    },
    /** wait SECONDS: who is not silent sends heartbeats. */
    wait: async ({ plain: [seconds] }) => {
      let left = Number(seconds) * 1000;
      while (left > 0) {
        const step = Math.min(left, 5000);
        await this.cluster.advance(step);
        left -= step;
        for (const [name, worker] of this.workers) {
          if (!this.silent.has(name)) worker.heartbeat(...this.heldBy(name));
        }
        await this.cluster.settle();
      }
    },
    /** crash: the coordinator is killed and started again on its disk. */
    crash: async () => {
      for (const name of this.workers.keys()) this.silent.add(name);
      await this.cluster.crash();
    },
    cancel: ({ plain: [job] }) => this.ask(this.cluster.coordinator.jobs.cancel(job!)),
    retry: ({ plain: [job] }) => this.ask(this.cluster.coordinator.jobs.retry(job!)),
    drain: ({ plain: [name] }) => this.ask(this.cluster.coordinator.workers.drain(name!)),
    resume: ({ plain: [name] }) => this.ask(this.cluster.coordinator.workers.resume(name!)),
    deregister: ({ plain: [name] }) => this.ask(this.cluster.coordinator.workers.deregister(name!)),
    clear: () => this.ask(this.cluster.coordinator.clear()),
    /** job NAME: what a client sees of it. */
    job: async ({ plain: [name] }) => {
      const { coordinator } = this.cluster;
      const detail = await this.cluster.answer(coordinator.reads.findJobDetail(name!));
      if (detail === undefined) return [`no job ${name}`];
      const tasks = (await this.cluster.answer(Array.fromAsync(detail.tasks))).flat();
      const lines = tasks.map(
        ({ id, status, attempt, worker_id }) => `${id} ${status}, attempt ${attempt}, ${worker_id}`,
      );
      return [`${name} ${detail.head.status}`, ...lines];
    },
    /** recoveries: what a client sees of them, the oldest first. */
    recoveries: async () => {
      const { coordinator } = this.cluster;
      const events = (
        await this.cluster.answer(Array.fromAsync(coordinator.taskReads.recoveryEvents()))
      ).flat();
      return events.toReversed().map(recoveryText);
    },
    /** workers: what a client sees of them. */
    workers: async () => {
      const all = await this.cluster.answer(this.cluster.coordinator.reads.workers());
      return all.map(({ id, status, active_tasks }) => `${id} ${status}, ${active_tasks} active`);
    },
  };

  private worker(name: string | undefined): ScriptedWorker {
    const worker = this.workers.get(name ?? '');
    if (worker === undefined) throw new Error(`no worker ${name}`);
    return worker;
  }

  private async ask(
    asked: Promise<{ ok: true } | { ok: false; rejection: { code: string; detail: string } }>,
  ): Promise<string[]> {
    const answer = await this.cluster.answer(asked);
    return answer.ok ? [] : [`refused: ${answer.rejection.code}: ${answer.rejection.detail}`];
  }

  /** The attempts that the worker holds, by the coordinator's state; an honest worker holds the same. */
  private heldBy(name: string): string[] {
    const attempts = this.cluster.coordinator.state.workers.get(name)?.attempts ?? [];
    return [...attempts].map(({ task }) => taskId(task.job.spec.id, task.index));
  }

  private sent(): string[] {
    const lines: string[] = [];
    for (const [name, worker] of this.workers) {
      for (const message of worker.take()) {
        for (const text of messageTexts(message)) lines.push(`${name} < ${text}`);
      }
    }
    return lines;
  }
}

function messageTexts(message: CoordinatorMessage): string[] {
  switch (message.type) {
    case 'welcome':
      return [['welcome', ...message.stop.map(stopText)].join(', ')];
    case 'assign':
      return [`assign ${message.assignments.map(assignmentText).join(', ')}`];
    case 'ack':
      return [
        ...message.accepted.map((each) => `ack ${each.kind} ${attemptText(each)}`),
        ...(message.heartbeat?.stop ?? []).map(stopText),
      ];
    case 'reject':
      return message.rejected.map(
        (each) => `reject ${each.kind} ${attemptText(each)}: ${each.code}`,
      );
    case 'cancel':
    case 'revoke':
      return message.attempts.map((each) => `${message.type} ${attemptText(each)}: ${each.reason}`);
    case 'recall':
      return [`recall ${message.attempts.map(attemptText).join(', ')}`];
    case 'drain':
      return [message.drain ? 'drain' : 'go on'];
    case 'approved':
      return ['approved'];
    case 'greet':
      return [`greet ${message.id}`];
    case 'ping':
      return ['ping'];
    case 'deregistered':
    case 'error':
      return [`${message.type}: ${message.detail}`];
  }
}

function attemptText(named: { readonly task_id: string; readonly attempt: number }): string {
  return `${named.task_id} #${named.attempt}`;
}

function assignmentText(assignment: Assignment): string {
  const { checkpoint } = assignment;
  if (checkpoint === undefined) return attemptText(assignment);
  const { sequence, progress, state } = checkpoint;
  return `${attemptText(assignment)} from checkpoint ${sequence} at ${progress}: ${payloadText(state)}`;
}

function recoveryText(event: RecoveryEvent): string {
  const { task_id, attempt, reason, outcome, next_attempt, resumed_from_progress } = event;
  const next = next_attempt === null ? '' : ` as #${next_attempt}`;
  const from = resumed_from_progress === null ? '' : ` from ${resumed_from_progress}`;
  return `${task_id} #${attempt} ${reason}: ${outcome}${next}${from}, lost ${event.time_lost_seconds} s, saved ${event.work_saved_seconds} s`;
}

function stopText(order: { task_id: string; attempt: number; reason: string }): string {
  return `stop ${attemptText(order)}: ${order.reason}`;
}

function wordsOf(words: readonly string[]): Words {
  return {
    plain: words.filter((word) => !word.includes('=')),
    named: new Map(
      words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]),
    ),
  };
}

function optional(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
