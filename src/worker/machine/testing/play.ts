// A machine, and what happens to it in any order: messages, outcomes, drops, timers, rests. The stage checks the
// invariants after every step; the play notes what else is wrong, above all what is not accounted for in the end.

import type {
  Assignment,
  CheckpointReport,
  CoordinatorMessage,
  WorkerMessage,
} from '../../../protocol/messages.ts';
import type { ExecutorEvent, ExecutorOutcome } from '../../executor.ts';
import type { MachineOutput, RestOrder } from '../machine.ts';
import { key, ScriptedMachine, task } from './scripted-machine.ts';
import type { Deed } from './deeds.ts';
import { WatchedPromises } from './watched-promises.ts';

/**
 * The coordinator's view: `live` has the attempts that it believes to be on the worker, with the
 * token it gave last; each must leave it by a report, a release or an order.
 */
export class Play {
  readonly faults: string[] = [];
  private readonly stage = new ScriptedMachine({ slots: 2, keepsReports: true });
  private readonly promises = new WatchedPromises(this.faults, this.stage.machine);
  private readonly live = new Map<string, Assignment>();
  private readonly slots: { key: string; toStop: boolean }[][] = [[], [], []];
  private reports: { task_id: string; attempt: number; kind: 'result' | 'failure' }[] = [];
  private unsettled = new Map<string, string>();
  /** Sent on this connection and not answered yet. */
  private checkpoints: { task_id: string; attempt: number }[] = [];
  /** Newest sequence that was sent, for each attempt. */
  private readonly newest = new Map<string, number>();
  private sequence = 0;
  private isConnected = false;
  private hasExited = false;
  private tokens = 0;

  /** Starts where tasks are known to be short, so that slots are handed several at once. */
  constructor() {
    this.connect();
    for (let i = 0; i < 8; i++) {
      this.assign([this.attempt(i)]);
      this.finish(0, 1);
      this.acknowledge();
    }
  }

  perform(each: Deed): void {
    const { stage } = this;
    const first = 'slot' in each ? this.slots[each.slot]![0] : undefined;
    switch (each.do) {
      case 'assign':
        return this.assign(
          Array.from({ length: each.count }, (_, i) => this.attempt(each.index + i)),
        );
      case 'assign_again': {
        const live = this.live.get(key(each.index));
        if (live === undefined) return;
        return this.assign([each.isSameToken ? live : { ...live, token: this.newToken() }]);
      }
      case 'finish':
        return this.finish(each.slot, each.count);
      case 'recall_handed':
      case 'cancel_handed': {
        const handed = this.slots[each.slot]![each.position];
        if (handed === undefined) return;
        const attempts = [orderOf(handed.key)];
        return this.say({ type: each.do === 'recall_handed' ? 'recall' : 'cancel', attempts });
      }
      case 'start':
        if (first === undefined) return;
        return this.executor({ type: 'started', slot: each.slot, key: first.key });
      case 'progress':
        if (first === undefined) return;
        return this.executor({
          type: 'progress',
          slot: each.slot,
          key: first.key,
          progress: 0.5,
          message: null,
        });
      case 'checkpoint':
        if (first === undefined) return;
        this.sequence += 1;
        return this.executor(checkpointOf(each.slot, first.key, this.sequence));
      case 'crash':
        return this.crash(each.slot);
      case 'recall':
        return this.say({ type: 'recall', attempts: [refOf(key(each.index))] });
      case 'cancel':
        return this.say({ type: 'cancel', attempts: [orderOf(key(each.index))] });
      case 'acknowledge':
        return this.acknowledge();
      case 'answer_checkpoints':
        return this.answerCheckpoints(each.isAccepted);
      case 'reject': {
        const found = this.reports.find(({ task_id }) => task_id === `job-${each.index}`);
        if (found === undefined || !this.isConnected) return;
        this.settle(`${found.task_id}#${found.attempt}`);
        return this.say({
          type: 'reject',
          rejected: [{ ...found, code: 'stale_attempt', detail: '' }],
        });
      }
      case 'drop':
        if (!this.isConnected) return;
        this.lose();
        return this.observe(stage.give({ type: 'socket_closed' }));
      case 'connect':
        return this.connect(each.isBusy, each.rest);
      case 'greet':
        return this.greet(each.isBusy, each.rest);
      case 'rest':
        return this.rest(each.rest);
      case 'slots':
        this.promises.slots = each.count;
        return this.observe(stage.give({ type: 'slots', slots: each.count }));
      case 'beat':
        if (!this.isConnected || stage.timers.get('heartbeat') === undefined) return;
        stage.nowMs += 1;
        return this.observe(stage.give({ type: 'message', message: { type: 'ping' } }));
      case 'drain':
        return this.say({ type: 'drain', drain: each.drain });
    }
  }

  /** No more faults: everything runs to its end, everything is acknowledged. */
  heal(): void {
    this.connect();
    this.rest(null);
    this.say({ type: 'drain', drain: false });
    for (let round = 0; round < 100; round++) {
      this.finish(0, 100);
      this.finish(1, 100);
      this.finish(2, 100);
      this.answerCheckpoints(true);
      this.acknowledge();
    }
    this.promises.checkNothingIsKept();
    const { held, stopping, outbox } = this.stage.machine.workload;
    if (held.size > 0) this.faults.push(`still held: ${[...held.keys()].join(' ')}`);
    if (stopping.size > 0) this.faults.push(`still stopping: ${[...stopping.keys()].join(' ')}`);
    if (outbox.size > 0) this.faults.push(`${outbox.size} reports are left`);
    if (this.live.size > 0) this.faults.push(`never heard of: ${[...this.live.keys()].join(' ')}`);
  }

  leave(isHurried: boolean): void {
    this.connect();
    this.observe(this.stage.give({ type: 'leave' }));
    // The second `leave` gives running attempts up; a last checkpoint may still wait for its answer.
    if (isHurried) this.observe(this.stage.give({ type: 'leave' }));
    for (let round = 0; round < 10 && !this.hasExited; round++) {
      this.finish(0, 100);
      this.finish(1, 100);
      this.finish(2, 100);
      this.answerCheckpoints(true);
      this.acknowledge();
    }
    if (!this.hasExited) this.faults.push('has not left');
    if (this.live.size > 0) this.faults.push(`never heard of: ${[...this.live.keys()].join(' ')}`);
  }

  private attempt(i: number): Assignment {
    return task(i, { token: this.newToken() });
  }

  private newToken(): string {
    this.tokens += 1;
    return `t${this.tokens}`;
  }

  private assign(assignments: Assignment[]): void {
    if (!this.isConnected) return;
    // A coordinator assigns an attempt that is live only to repeat it.
    for (const each of assignments) this.live.set(`${each.task_id}#${each.attempt}`, each);
    this.observe(this.stage.assign(...assignments));
  }

  /** Busy: much happens between `hello` and `welcome`. */
  private connect(isBusy = false, restMeanwhile: RestOrder | null = null): void {
    if (this.isConnected) return;
    const { stage } = this;
    if (stage.machine.connectionState === 'idle') stage.give({ type: 'start' });
    else stage.fire('reconnect');
    this.welcome(stage.give({ type: 'socket_opened' }), isBusy, restMeanwhile);
  }

  /** Another leader knows nothing of what was sent on this connection. */
  private greet(isBusy: boolean, restMeanwhile: RestOrder | null): void {
    if (!this.isConnected) return;
    this.lose();
    this.welcome(this.stage.say({ type: 'greet', id: 1 }), isBusy, restMeanwhile);
  }

  private welcome(
    outputs: readonly MachineOutput[],
    isBusy: boolean,
    restMeanwhile: RestOrder | null,
  ): void {
    const { stage } = this;
    const [hello, ...more] = messagesOf(outputs);
    if (more.length > 0) this.faults.push(`${more[0]!.type} is sent beside hello`);
    if (hello?.type !== 'hello') throw new Error('No hello.');
    this.promises.hearRest(hello);
    const named = new Set(hello.attempts.map((a) => `${a.task_id}#${a.attempt}`));
    // Exact: what is not named was given back, or its order to stop was lost with it.
    for (const each of this.live.keys()) if (!named.has(each)) this.live.delete(each);
    const stop = [...named].filter((each) => !this.live.has(each)).map(orderOf);
    if (isBusy) {
      this.crash(0);
      this.finish(1, 2);
      this.rest(restMeanwhile);
    }
    this.isConnected = true;
    this.observe(stage.welcome({ stop }));
  }

  private rest(order: RestOrder | null): void {
    this.promises.rest = order;
    this.observe(this.stage.give({ type: 'rest', rest: order }));
  }

  private lose(): void {
    this.isConnected = false;
    this.reports = [];
    this.checkpoints = [];
  }

  private say(message: CoordinatorMessage): void {
    if (!this.isConnected) return;
    if (message.type === 'cancel') {
      for (const order of message.attempts) this.settle(`${order.task_id}#${order.attempt}`);
    }
    this.observe(this.stage.say(message));
  }

  private acknowledge(): void {
    if (!this.isConnected) return;
    const accepted = this.reports;
    for (const each of accepted) this.settle(`${each.task_id}#${each.attempt}`);
    this.reports = [];
    this.observe(this.stage.say({ type: 'ack', accepted }));
  }

  private answerCheckpoints(isAccepted: boolean): void {
    if (!this.isConnected) return;
    const answered = this.checkpoints.map((ref) => ({ ...ref, kind: 'checkpoint' as const }));
    this.checkpoints = [];
    const why = { code: 'stale_attempt', detail: '' };
    if (isAccepted) this.observe(this.stage.say({ type: 'ack', accepted: answered }));
    else {
      const rejected = answered.map((ref) => ({ ...ref, ...why }));
      this.observe(this.stage.say({ type: 'reject', rejected }));
    }
  }

  private finish(slotIndex: number, count: number): void {
    const taken = this.slots[slotIndex]!.splice(0, count);
    if (taken.length === 0) return;
    const outcomes = taken.map(({ key: each, toStop }, i): ExecutorOutcome => {
      const times = { key: each, runMs: 0.01, cpuSeconds: 0 };
      if (toStop) return { type: 'stopped', key: each, reason: 'revoked' };
      if (i % 3 === 2) {
        return { type: 'failure', ...times, errorType: 'E', errorMessage: '', retryable: true };
      }
      return { type: 'result', ...times, valueJson: '1' };
    });
    this.executor({ type: 'finished', slot: slotIndex, outcomes });
  }

  private crash(slotIndex: number): void {
    const lost = this.slots[slotIndex]!.splice(0);
    if (lost.length === 0) return;
    this.executor({ type: 'returned', slot: slotIndex, keys: lost.map((each) => each.key) });
  }

  private executor(event: ExecutorEvent): void {
    this.observe(this.stage.executor(event));
  }

  private observe(outputs: readonly MachineOutput[]): void {
    for (const output of outputs) {
      this.promises.observe(output);
      if (output.type === 'run') {
        for (const { key: each } of output.tasks) {
          if (this.slots.flat().some((handed) => handed.key === each)) {
            this.faults.push(`${each} is handed over twice`);
          }
          this.slots[output.slot]!.push({ key: each, toStop: false });
        }
      } else if (output.type === 'stop') {
        const handed = this.slots[output.slot]!.find((each) => each.key === output.key);
        if (handed === undefined) this.faults.push(`${output.key} is stopped in the wrong slot`);
        else if (handed.toStop) this.faults.push(`${output.key} is stopped twice`);
        else handed.toStop = true;
      } else if (output.type === 'exit') this.hasExited = true;
    }
    for (const message of messagesOf(outputs)) this.hear(message);
    // A new `hello` for another number of slots.
    if (!this.hasExited && outputs.some(({ type }) => type === 'disconnect')) this.lose();
    this.promises.checkRest(this.slots.flat(), this.isConnected);
  }

  private hear(message: WorkerMessage): void {
    if (!this.isConnected) this.faults.push(`${message.type} is sent before welcome`);
    if (message.type === 'heartbeat') this.promises.hearRest(message);
    else if (message.type === 'release') {
      for (const ref of message.releases) {
        const each = `${ref.task_id}#${ref.attempt}`;
        this.checkToken(each, ref.token);
        this.settle(each);
      }
    } else if (message.type === 'bye') {
      const unsafe = this.checkpoints.map((ref) => `${ref.task_id}#${ref.attempt}`);
      for (const each of unsafe) {
        if (this.live.has(each)) this.faults.push(`${each}: bye before its checkpoint is safe`);
      }
      // `bye` gives back what the worker still held.
      this.live.clear();
    } else if (message.type === 'result') {
      for (const ref of message.results) this.report(ref, 'result');
    } else if (message.type === 'checkpoint') {
      for (const each of message.checkpoints) this.save(each);
    } else if (message.type === 'failure') {
      for (const ref of message.failures) this.report(ref, 'failure');
    }
  }

  /** Checkpoints come only before the report, only newer ones, and one at a time until a failure. */
  private save(checkpoint: CheckpointReport): void {
    const { task_id, attempt, token, sequence } = checkpoint;
    const each = `${task_id}#${attempt}`;
    const known = `${each} ${token}`;
    if (!this.live.has(each)) this.faults.push(`${each}: a checkpoint that nobody asked for`);
    this.checkToken(each, token);
    const isReported = this.reports.some((ref) => `${ref.task_id}#${ref.attempt}` === each);
    if (isReported) this.faults.push(`${each}: a checkpoint after its report`);
    const newest = this.newest.get(known) ?? 0;
    if (sequence < newest) this.faults.push(`${each}: checkpoint ${sequence} after ${newest}`);
    this.newest.set(known, sequence);
    this.checkpoints.push({ task_id, attempt });
  }

  private report(
    ref: { task_id: string; attempt: number; token: string },
    kind: 'result' | 'failure',
  ): void {
    const { task_id, attempt, token } = ref;
    const each = `${task_id}#${attempt}`;
    const before = this.unsettled.get(each);
    if (before !== undefined && before !== kind)
      this.faults.push(`${each}: ${before}, then ${kind}`);
    if (!this.live.has(each)) this.faults.push(`${each}: nobody asked`);
    this.checkToken(each, token);
    this.unsettled.set(each, kind);
    this.reports.push({ task_id, attempt, kind });
  }

  private checkToken(each: string, token: string): void {
    const live = this.live.get(each);
    if (live === undefined || live.token === token) return;
    this.faults.push(`${each} is reported under ${token}, not ${live.token}`);
  }

  /** The coordinator's record of the attempt ends. */
  private settle(each: string): void {
    this.live.delete(each);
    this.unsettled.delete(each);
    this.reports = this.reports.filter((ref) => `${ref.task_id}#${ref.attempt}` !== each);
  }
}

function checkpointOf(slotIndex: number, each: string, sequence: number): ExecutorEvent {
  const state = { encoding: 'json', text: '1' } as const;
  return {
    type: 'checkpoint',
    slot: slotIndex,
    key: each,
    sequence,
    progress: 0.5,
    state,
    runMs: 5,
  };
}

function messagesOf(outputs: readonly MachineOutput[]): WorkerMessage[] {
  return outputs.flatMap((output) => (output.type === 'send' ? output.messages : []));
}

function refOf(each: string): { task_id: string; attempt: number } {
  return { task_id: each.slice(0, each.indexOf('#')), attempt: 1 };
}

function orderOf(each: string): { task_id: string; attempt: number; reason: string } {
  return { ...refOf(each), reason: 'cancelled' };
}
