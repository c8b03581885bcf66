// Two jobs with the same module, run as the production child runs them: by its driver, in compartments
// that its programs make. Only their loading is watched, to hand each module a function that keeps what
// it got hold of.

import { Driver } from '../../../../src/worker/sandbox/driver.ts';
import { doneWidth, type FromChild } from '../../../../src/worker/sandbox/messages.ts';
import { Program, type TaskFunction } from '../../../../src/worker/sandbox/program.ts';
import { givenUp, type JobName, turnOrder } from '../messages.ts';
import type { Order } from '../program-tree.ts';
import { isObject, type Roots } from './object-graph.ts';
import type { Oracle } from './oracle.ts';
import { endWith, host, limits, notePosition, now, say } from './platform.ts';

/** Of the clock that the attempts see: nothing may depend on how fast the machine is. */
const tickMs = 0.02;
const checkpointEveryMs = 1;
const meanTimeMs = 60_000;
const leaksLimit = 20_000;
const leftoversMs = 15;
const patienceMs = 5_000;

interface Job {
  readonly global: object;
  /** With the index of the program that was running. */
  readonly leaks: ReadonlyMap<object, number>;
}

export class TwoJobs {
  readonly #oracle: Oracle;
  readonly #driver: Driver;
  readonly #faults = new Set<string>();
  #jobs: Job[] = [];
  #orders: readonly Order[] = [];
  #turns: readonly (readonly [JobName, number])[] = [];
  #batch = 0;
  #ran = 0;
  /** Number of the attempt that began last. */
  #running = 0;
  #interferedWith = 0;
  #awaited = 0;
  #refusal: string | null = null;
  #wake = () => {};
  #clockMs = 0;

  constructor(oracle: Oracle) {
    this.#oracle = oracle;
    watchLoading((program, task) => {
      this.#programLoaded(program.jobId, task);
    });
    this.#driver = new Driver(limits, host, {
      send: (message) => {
        this.#hear(message);
      },
      hasRoom: () => true,
      now: () => (this.#clockMs += tickMs),
      readStopOrder: null,
      readLent: () => {
        throw new Error('nothing was lent');
      },
      writePosition: (number) => {
        this.#running = number;
        notePosition(number - this.#ran);
      },
      giveUp: (why) => endWith(`${givenUp}: ${why}`),
    });
  }

  /** Before any of its attempts has begun. */
  #programLoaded(id: string, task: TaskFunction): void {
    const name = id === jobId('a', this.#batch) ? 'a' : 'b';
    const leaks = new Map<object, number>();
    const foreign = secretOf(name === 'a' ? 'b' : 'a');
    const leak = (value: unknown) => {
      this.#interfere();
      if (isObject(value)) {
        if (leaks.size < leaksLimit && !leaks.has(value) && !this.#oracle.isPermitted(value)) {
          leaks.set(value, this.#program());
        }
      } else if (typeof value === 'string' && value.includes(foreign)) {
        this.#faults.add(`job ${name} sees a text of the other job: ${value.slice(0, 200)}`);
      }
    };
    const global = task(Object.freeze(leak), {}) as object;
    this.#jobs.push({ global, leaks });
  }

  /** What is wrong afterwards, and why the module was refused if it was. */
  async run(
    module: string,
    orders: readonly Order[],
  ): Promise<[faults: string[], refusal: string | null]> {
    this.#batch++;
    this.#jobs = [];
    this.#faults.clear();
    this.#refusal = null;
    this.#orders = orders;
    this.#turns = turnOrder(orders.length);
    this.#awaited = this.#turns.length;
    const done = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    for (const name of ['a', 'b'] as const) {
      // One text for both, as jobs with the same program have.
      const source = name === 'a' ? module : null;
      const text = [`batch-${this.#batch}`, source] as const;
      this.#driver.programs.add(jobId(name, this.#batch), ...text, checkpointEveryMs, meanTimeMs);
    }
    this.#handOver(this.#turns);
    await done;
    if (!(await hasTimers())) this.#faults.add('no timer of the child rings any more');
    this.#ran += this.#turns.length;
    for (const name of ['a', 'b'] as const) this.#driver.programs.forget(jobId(name, this.#batch));
    return [[...this.#faults], this.#refusal];
  }

  /** What the jobs of the last batch hold. */
  roots(): readonly Roots[] {
    return this.#jobs.map(({ global, leaks }) => [
      ['globalThis', global] as const,
      ...[...leaks].map(([value, index]) => [`leak of program ${index}`, value] as const),
    ]);
  }

  #handOver(turns: readonly (readonly [JobName, number])[]): void {
    for (let first = 0; first < turns.length; ) {
      const name = turns[first]![0];
      const fields: (string | number | null)[] = [];
      let next = first;
      for (; turns[next]?.[0] === name; next++) {
        const program = turns[next]![1];
        const number = this.#ran + next + 1;
        const input = JSON.stringify({ program });
        const state = program % 3 === 0 ? JSON.stringify({ x: secretOf(name) }) : null;
        fields.push(number, `${secretOf(name)}-${program}`, program, 1, input, state, 0);
      }
      this.#driver.run(jobId(name, this.#batch), fields);
      first = next;
    }
  }

  /**
   * What the agent may ask for while a program runs comes at its first leak: the same place whatever
   * the machine is doing.
   */
  #interfere(): void {
    const number = this.#running;
    if (number === this.#interferedWith) return;
    this.#interferedWith = number;
    const order = this.#orders[this.#program()] ?? 'none';
    if (order === 'checkpoint') this.#driver.orderCheckpoint(number);
    else if (order !== 'none') this.#driver.stop(number, order !== 'stop');
  }

  /** The index of the program that runs. */
  #program(): number {
    return this.#turns[this.#running - this.#ran - 1]?.[1] ?? 0;
  }

  /** Told to the parent, too, which does not listen: Node's own sending may fail where a task stands. */
  #hear(message: FromChild): void {
    try {
      say(message);
    } catch {
      throw new Error('the agent cannot be told');
    }
    if (message[0] !== 'done') return;
    const items = message[1];
    for (let i = 0; i < items.length; i += doneWidth) {
      const text = String(items[i + 2]);
      if (text.startsWith('program_invalid\n')) this.#refusal = text.slice(text.indexOf('\n') + 1);
      this.#awaited--;
    }
    if (this.#awaited === 0) this.#wake();
  }
}

/**
 * What the programs left behind has its turn before anything is judged: promises, then whatever the
 * host does for them outside of this thread, as reading a file for an import. False when the timer that
 * measures this does not ring: the loop turns by immediates alone.
 */
async function hasTimers(): Promise<boolean> {
  const startedAt = now();
  const timer = { hasRung: false };
  host.startTimer(() => {
    timer.hasRung = true;
  }, leftoversMs);
  while (!timer.hasRung && now() - startedAt < patienceMs) {
    await new Promise<void>((resolve) => host.soon(resolve));
  }
  return timer.hasRung;
}

function jobId(name: JobName, batch: number): string {
  return `${secretOf(name)}-${batch}`;
}

/** Is in the names of the job and its tasks, and in the states that they resume from. */
function secretOf(name: JobName): string {
  return `secret-of-${name}`;
}

function watchLoading(onLoaded: (program: Program, task: TaskFunction) => void): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with the program as its `this`
  const { load } = Program.prototype;
  Program.prototype.load = async function (this: Program) {
    const isFirst = this.task === null;
    await load.call(this);
    if (isFirst && this.task !== null) onLoaded(this, this.task);
  };
}
