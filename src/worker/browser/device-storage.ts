// What is kept on the device: who it is here, the rules of its owner, reports that nobody has acknowledged, what it
// held when it was closed properly, and what it has done. Written in order, all changes of a moment together.
//
// Nothing waits for ever: what does not answer within two seconds counts as withheld, and the device works without.

import type { AttemptRef } from '../../protocol/messages.ts';
import type { AttemptKey } from '../executor.ts';
import type { KeptReport, WorkerIdentity } from '../machine/machine.ts';
import { type KeptTally, readTally } from './done-tally.ts';
import type { KeptEntries } from './kept-entries.ts';

export interface KeptThings {
  readonly identity: WorkerIdentity | null;
  /** As people call it, for the next time; null when nobody has said. */
  readonly coordinatorName: string | null;
  /** As it was kept; not checked. */
  readonly rules: unknown;
  readonly tally: KeptTally | null;
  readonly isPaused: boolean;
  readonly reports: readonly KeptReport[];
  /** Null: it was not closed properly, or it was never open. */
  readonly heldBefore: readonly AttemptRef[] | null;
}

export const nothingKept: KeptThings = {
  identity: null,
  coordinatorName: null,
  rules: null,
  tally: null,
  isPaused: false,
  reports: [],
  heldBefore: null,
};

const patienceMs = 2_000;
const reportPrefix = 'report:';

export class DeviceStorage {
  readonly #entries: KeptEntries | null;
  readonly #onChange: () => void;
  #isWithheld: boolean;
  #changes = new Map<string, unknown>();
  #isSet = false;
  #writing: Promise<void> = Promise.resolve();

  /** `entries`: null where the browser has none. `onChange`: it is withheld now, or no more. */
  constructor(entries: KeptEntries | null, onChange: () => void = () => {}) {
    this.#entries = entries;
    this.#onChange = onChange;
    this.#isWithheld = entries === null;
  }

  get isWithheld(): boolean {
    return this.#isWithheld;
  }

  async read(): Promise<KeptThings> {
    const found = await this.#bounded((entries) => entries.readAll());
    if (found === null) return nothingKept;
    const identity = readIdentity(found.get('identity'));
    const coordinatorName = found.get('coordinatorName');
    const reports: KeptReport[] = [];
    for (const [name, value] of found) {
      if (!name.startsWith(reportPrefix)) continue;
      const report = readReport(value, identity);
      if (report === null) this.#set(name, undefined);
      else reports.push(report);
    }
    return {
      identity,
      coordinatorName: isText(coordinatorName) ? coordinatorName : null,
      rules: found.get('rules'),
      tally: readTally(found.get('tally')),
      isPaused: found.get('isPaused') === true,
      reports,
      heldBefore: identity === null ? null : readRefs(found.get('heldBefore')),
    };
  }

  saveIdentity(identity: WorkerIdentity | null): void {
    const { workerId, workerToken } = identity ?? {};
    this.#set('identity', identity === null ? undefined : { workerId, workerToken });
  }

  saveCoordinatorName(name: string | null): void {
    this.#set('coordinatorName', name ?? undefined);
  }

  saveRules(rules: object): void {
    this.#set('rules', rules);
  }

  saveTally(tally: KeptTally): void {
    this.#set('tally', tally);
  }

  savePaused(isPaused: boolean): void {
    this.#set('isPaused', isPaused || undefined);
  }

  /** Reports are good for the worker that has made them only. */
  keep(reports: readonly KeptReport[], workerId: string | null): void {
    for (const report of reports) this.#set(reportPrefix + report.key, { workerId, report });
  }

  letGo(keys: readonly AttemptKey[]): void {
    for (const key of keys) this.#set(reportPrefix + key, undefined);
  }

  /** The mark of a proper closing; null: it is open, or its end was none of its own. */
  saveHeld(held: readonly AttemptRef[] | null): void {
    this.#set('heldBefore', held ?? undefined);
  }

  /** Begins to write at once: there may be no later. */
  flush(): void {
    this.#isSet = false;
    const changes = this.#changes;
    if (changes.size === 0) return;
    this.#changes = new Map();
    // Each transaction is begun at once; the browser runs them in this order.
    const written = this.#bounded((entries) => entries.write(changes));
    this.#writing = Promise.all([this.#writing, written]).then(() => {});
  }

  /** When all that was to be written is written, or given up. */
  written(): Promise<void> {
    this.flush();
    return this.#writing;
  }

  async clear(): Promise<void> {
    this.#changes.clear();
    await this.#bounded((entries) => entries.clear());
  }

  #set(name: string, value: unknown): void {
    if (this.#entries === null) return;
    this.#changes.set(name, value);
    if (this.#isSet) return;
    this.#isSet = true;
    queueMicrotask(() => {
      if (this.#isSet) this.flush();
    });
  }

  /** Null: it did not work, or not in time. */
  async #bounded<T>(work: (entries: KeptEntries) => Promise<T>): Promise<T | null> {
    const entries = this.#entries;
    if (entries === null) return null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs);
    });
    const done = work(entries).then(
      (value) => ({ value }),
      () => null,
    );
    const answer = await Promise.race([done, tooLong]);
    clearTimeout(timer);
    if (this.#isWithheld !== (answer === null)) {
      this.#isWithheld = answer === null;
      this.#onChange();
    }
    return answer?.value ?? null;
  }
}

// ---- what is read was written by some version of this page

function readIdentity(value: unknown): WorkerIdentity | null {
  const { workerId, workerToken } = fieldsOf(value);
  return isText(workerId) && isText(workerToken) ? { workerId, workerToken } : null;
}

function readReport(value: unknown, identity: WorkerIdentity | null): KeptReport | null {
  const { workerId, report } = fieldsOf(value);
  if (identity === null || workerId !== identity.workerId) return null;
  const { key, taskId, attempt, token, kind, entryJson } = fieldsOf(report);
  const areTexts = isText(key) && isText(taskId) && isText(token) && isText(entryJson);
  if (!areTexts || typeof attempt !== 'number') return null;
  if (kind !== 'result' && kind !== 'failure') return null;
  return { key, taskId, attempt, token, kind, entryJson };
}

function readRefs(value: unknown): readonly AttemptRef[] | null {
  if (!Array.isArray(value)) return null;
  return value.flatMap((each: unknown) => {
    const { task_id, attempt, token } = fieldsOf(each);
    const isRef = isText(task_id) && typeof attempt === 'number' && isText(token);
    return isRef ? [{ task_id, attempt, token }] : [];
  });
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
