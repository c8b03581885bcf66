// Checks one page: a report that it was told to keep is named in every `hello`, is kept until the coordinator has
// answered it, and what it reports on does not run again. A page that was closed properly names what it held, and one
// that has crashed names nothing but its reports.

import type {
  AttemptRef,
  CoordinatorMessage,
  HelloMessage,
  WorkerMessage,
} from '../../protocol/messages.ts';
import type { AttemptKey, ExecutorTask } from '../../worker/executor.ts';
import { attemptKey } from '../../worker/machine/local-attempt.ts';
import type { KeptReport } from '../../worker/machine/machine.ts';
import { BrokenPromise } from '../broken-promise.ts';

export class PageChecker {
  private readonly name: string;
  private readonly onBug: (error: Error) => void;
  /** In this life. */
  private readonly kept = new Map<AttemptKey, KeptReport>();
  /** In any life: none of them may run again. */
  private readonly reported = new Set<AttemptKey>();
  private readonly answered = new Set<AttemptKey>();
  /** What it may name in its first `hello` of this life; null: that was said. */
  private before: ReadonlySet<AttemptKey> | null = null;
  /** It was somebody else, or nobody: the coordinator asks for no report of it. */
  private isStranger = true;

  constructor(name: string, onBug: (error: Error) => void) {
    this.name = name;
    this.onBug = onBug;
  }

  /** Reports that nobody has answered. */
  get unanswered(): readonly AttemptKey[] {
    return [...this.kept.keys()];
  }

  opened(
    workerId: string | null,
    kept: readonly KeptReport[],
    heldBefore: readonly AttemptRef[],
  ): void {
    this.isStranger = workerId === null;
    this.kept.clear();
    this.keeps(kept);
    this.before = new Set([...this.kept.keys(), ...heldBefore.map(keyOf)]);
  }

  ended(): void {
    this.kept.clear();
  }

  keeps(reports: readonly KeptReport[]): void {
    for (const report of reports) {
      this.kept.set(report.key, report);
      this.reported.add(report.key);
    }
  }

  letsGo(keys: readonly AttemptKey[]): void {
    for (const key of keys) {
      if (!this.isStranger && !this.answered.has(key)) {
        this.fail(`lets go of its report on ${key}, which nobody has answered`);
      }
      this.kept.delete(key);
    }
  }

  /** Before its machine reads them. */
  heard(messages: readonly CoordinatorMessage[]): void {
    for (const message of messages) for (const ref of answersIn(message)) this.answer(ref);
    const isGone = ({ type }: CoordinatorMessage) => type === 'deregistered' || type === 'error';
    if (messages.some(isGone)) this.loseIdentity();
  }

  loseIdentity(): void {
    this.isStranger = true;
  }

  said(messages: readonly WorkerMessage[]): void {
    for (const message of messages) if (message.type === 'hello') this.greeted(message);
  }

  ran(tasks: readonly ExecutorTask[]): void {
    for (const { key } of tasks) {
      if (this.reported.has(key)) this.fail(`runs ${key}, on which it has reported`);
    }
  }

  /** It has been connected for long, and all is calm. */
  judge(): void {
    const [key] = this.unanswered;
    if (key !== undefined) this.fail(`keeps its report on ${key}, and has not handed it in`);
  }

  private greeted({ worker_id: workerId, attempts }: HelloMessage): void {
    const { before } = this;
    this.before = null;
    this.isStranger = workerId === undefined;
    if (this.isStranger) return;
    for (const { key } of this.kept.values()) {
      const named = attempts.find((held) => keyOf(held) === key);
      if (named?.state !== 'finished') this.fail(`does not name in its hello its report on ${key}`);
    }
    const strange = before && attempts.find((held) => !before.has(keyOf(held)));
    if (strange) this.fail(`names ${keyOf(strange)} in its first hello, and does not have it`);
    const named = new Set(attempts.map(keyOf));
    const lacking = before && [...before].find((key) => !named.has(key));
    if (lacking) this.fail(`does not name in its first hello ${lacking}, which it held before`);
  }

  private answer(ref: Pick<AttemptRef, 'task_id' | 'attempt'>): void {
    this.answered.add(keyOf(ref));
  }

  private fail(what: string): void {
    this.onBug(new BrokenPromise(`The page ${this.name} ${what}.`));
  }
}

function answersIn(
  message: CoordinatorMessage,
): readonly Pick<AttemptRef, 'task_id' | 'attempt'>[] {
  switch (message.type) {
    case 'ack': {
      const final = message.accepted.filter(({ kind }) => kind === 'result' || kind === 'failure');
      return [...final, ...(message.heartbeat?.stop ?? [])];
    }
    case 'reject':
      return message.rejected.filter(({ kind }) => kind === 'result' || kind === 'failure');
    case 'cancel':
    case 'revoke':
      return message.attempts;
    case 'welcome':
      return message.stop;
    default:
      return [];
  }
}

function keyOf({ task_id: taskId, attempt }: Pick<AttemptRef, 'task_id' | 'attempt'>): AttemptKey {
  return attemptKey(taskId, attempt);
}
