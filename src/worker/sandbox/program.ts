// A program of one job inside the child: its compartment, its globals, its task function. Programs of
// different jobs share nothing but the frozen intrinsics of the realm; the text may be the same. Tasks of
// one job that run in the same child see the same module-level variables.

import type { Attempt } from './attempt.ts';
import type { CheckpointCost } from './checkpoint-schedule.ts';
import { checkDynamicCode } from './dynamic-code.ts';
import type { Host } from './host.ts';
import type { KeepOutput } from './messages.ts';
import { hiddenOf, scriptOf, scriptStart } from './module-form.ts';
import { programGlobals } from './program-globals.ts';
import type { ProgramText } from './program-texts.ts';
import { type Compartment, harden, makeCompartment } from './realm.ts';
import { ScriptPlaces } from './script-places.ts';
import { SeededRandom } from './seeded-random.ts';
import type { Place } from './stack-text.ts';
import { addWebGlobals, isOwnText, lazyNames } from './web-globals.ts';

export type TaskFunction = (input: unknown, task: object) => unknown;

export class Program {
  readonly jobId: string;
  readonly text: ProgramText;
  readonly cost: CheckpointCost;
  readonly #host: Host;
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
  #clearTimers = () => {};
  #loadRandom: SeededRandom | null = null;
  #places: ScriptPlaces | null = null;

  constructor(jobId: string, text: ProgramText, cost: CheckpointCost, host: Host) {
    this.jobId = jobId;
    this.text = text;
    this.cost = cost;
    this.#host = host;
  }

  /** Rejects with what is wrong with the module, or with what its top level threw. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Where a place of the script that was evaluated stands in the program. */
  toOriginal(place: Place): Place {
    return this.#places?.toOriginal(place) ?? place;
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
    this.#clearTimers();
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
    } finally {
      if (loads === this.#loads) this.#isLoading = false;
    }
  }

  async #evaluate(): Promise<TaskFunction> {
    const form = this.text.form();
    const { globals, clearTimers } = programGlobals(this, this.#host);
    this.#clearTimers = clearTimers;
    // Everything that the compartment evaluates goes through here; the program itself is parsed already.
    let parsedSource: string | null = null;
    const compartment = makeCompartment(harden(globals), (text) =>
      text === parsedSource || isOwnText(text) ? text : checkDynamicCode(text),
    );
    addWebGlobals(compartment, timeOf(this.jobId));
    // Globals are handed in as parameters: looked up through the compartment's scope they are seven
    // to nine times slower.
    const names = parameterNames(compartment.globalThis, form.body);
    const source = scriptOf(form, names);
    this.#places = new ScriptPlaces(form, scriptStart(form.hiddenName, names).length);
    parsedSource = source;
    const enclose = evaluate(compartment, source, this.#host);
    parsedSource = null;
    const { task } = await enclose(compartment.globalThis, hiddenOf(form))();
    if (typeof task !== 'function') throw new NoTask('the default export is not a function');
    return task as TaskFunction;
  }
}

type Enclose = (globals: object, hidden: object) => () => Promise<{ task: unknown }>;

function evaluate(compartment: Compartment, source: string, host: Host): Enclose {
  try {
    const options = { __rejectSomeDirectEvalExpressions__: false };
    return compartment.evaluate(source, options) as Enclose;
  } catch (error) {
    throw error instanceof SyntaxError ? withLine(error, host.lineOfSyntaxError(source)) : error;
  }
}

/** Adds the line, which the evaluator does not report. */
function withLine(error: SyntaxError, line: number | null): SyntaxError {
  return line === null ? error : new SyntaxError(`${error.message} (line ${line})`);
}

/** The module parses, and exports no task. */
class NoTask extends Error {
  override readonly name = 'ProgramInvalid';
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** Handing a lazy global in makes it: so that is done only if the body may speak of it. */
function parameterNames(globals: object, body: string): string[] {
  const unused = new Set(lazyNames.filter((name) => !body.includes(name)));
  return Object.getOwnPropertyNames(globals).filter(
    (name) => identifier.test(name) && name !== 'eval' && !unused.has(name),
  );
}

const timedId = /^([\da-f]{8})-([\da-f]{4})-7[\da-f]{3}-/;

/** When the job was submitted: its id begins with that (UUID v7). 0 for other ids. */
function timeOf(jobId: string): number {
  const [, high = '0', low = '0'] = timedId.exec(jobId) ?? [];
  return parseInt(high, 16) * 0x10000 + parseInt(low, 16);
}
