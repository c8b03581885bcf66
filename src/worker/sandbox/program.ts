// A program of one job inside the child: its compartment, its globals, its task function. Programs of
// different jobs share nothing but the frozen intrinsics of the realm; the text may be the same. Tasks of
// one job that run in the same child see the same module-level variables.

import type { Attempt } from './attempt.ts';
import type { CheckpointCost } from './checkpoint-schedule.ts';
import { GuestFault } from './guest.ts';
import type { KeepOutput } from './messages.ts';
import { hiddenOf } from './module-form.ts';
import type { ProgramPorts } from './program-globals.ts';
import type { ProgramShell } from './program-shell.ts';
import type { ProgramShells } from './program-shells.ts';
import type { ProgramText } from './program-texts.ts';
import { SeededRandom } from './seeded-random.ts';

export type TaskFunction = (input: unknown, task: object) => unknown;

export class Program implements ProgramPorts {
  readonly jobId: string;
  readonly text: ProgramText;
  readonly cost: CheckpointCost;
  /** For `task.shared`; known when it is loaded. */
  shared: unknown = null;
  readonly #shells: ProgramShells;
  readonly #readShared: (() => unknown) | null;
  /** Null until `load` has resolved. */
  task: TaskFunction | null = null;
  /** The attempt whose console lines, random numbers and timers the globals serve. */
  current: Attempt | null = null;
  onTimerError: (error: unknown) => void = () => {};
  keepOutput: KeepOutput = 'on_failure';
  /** Timers that one attempt may have running at once. */
  timersAtMost = 1000;
  #loading: Promise<void> | null = null;
  #isLoading = false;
  /** Rises when the loading of the module is given up, so that its late end is ignored. */
  #loads = 0;
  #shell: ProgramShell | null = null;
  #loadRandom: SeededRandom | null = null;

  constructor(
    jobId: string,
    text: ProgramText,
    cost: CheckpointCost,
    shells: ProgramShells,
    readShared: (() => unknown) | null = null,
  ) {
    this.jobId = jobId;
    this.text = text;
    this.cost = cost;
    this.#shells = shells;
    this.#readShared = readShared;
  }

  get isLoaded(): boolean {
    return this.task !== null;
  }

  /** Rejects with what is wrong with the module, or with what its top level threw. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** When the job was submitted: its id begins with that (UUID v7). 0 for other ids. */
  get timeMs(): number {
    const [, high = '0', low = '0'] = timedId.exec(this.jobId) ?? [];
    return parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  }

  /** `Math.random()`. At the top level of the module it depends on the job alone. */
  random(): number {
    if (this.task !== null && this.current !== null) return this.current.random();
    this.#loadRandom ??= SeededRandom.fromText(this.jobId);
    return this.#loadRandom.next();
  }

  /** The attempt has ended: its timers must not fire into the next one. */
  leave(): void {
    this.current = null;
    this.#shell?.clearTimers();
    // The module may wait at its top level for what will never come now: the next attempt loads it anew.
    if (this.#isLoading) this.#giveUpLoading();
  }

  #giveUpLoading(): void {
    this.#loads += 1;
    this.#isLoading = false;
    this.#loading = null;
  }

  async #load(): Promise<void> {
    const loads = this.#loads;
    this.#isLoading = true;
    try {
      const task = await this.#evaluate();
      if (loads === this.#loads) this.task = task;
    } catch (error) {
      // A file may be there the next time; whatever else is wrong with a program stays so.
      if (error instanceof GuestFault && error.errorType === 'file_unavailable')
        this.#loading = null;
      throw error;
    } finally {
      if (loads === this.#loads) this.#isLoading = false;
    }
  }

  async #evaluate(): Promise<TaskFunction> {
    const form = this.text.form();
    if (this.#readShared !== null) this.shared = this.#readShared();
    const shell = this.#shells.take();
    shell.moveIn(this);
    this.#shell = shell;
    const enclose = shell.evaluate(this.text.script(shell.names)) as Enclose;
    const { task } = await enclose(shell.globalThis, hiddenOf(form))();
    if (typeof task !== 'function') throw new NoTask('the default export is not a function');
    return task as TaskFunction;
  }
}

/** Globals are handed in as parameters: looked up through the scope they are seven to nine times slower. */
type Enclose = (globals: object, hidden: object) => () => Promise<{ task: unknown }>;

/** The module parses, and exports no task. */
class NoTask extends Error {
  override readonly name = 'ProgramInvalid';
}

const timedId = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-/;
