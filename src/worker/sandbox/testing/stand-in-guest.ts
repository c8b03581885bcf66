// A kind of guest for tests that does what its program says, in place of an interpreter: it tells what the driver
// makes of each step. A program is `{"does": …}`.

import {
  GuestFault,
  type GuestKind,
  type GuestProgram,
  type GuestRun,
  type GuestSource,
  type GuestStep,
  type GuestTask,
} from '../guest.ts';

/** - `double`: twice the input.
 * - `echo`: the input as it is, bytes too. `bytes`: of the blob `name`. `shared`: the shared value.
 * - `fail`: an error of its own. `fault`: a fault of the program, when it is loaded.
 * - `print`: two lines, without an end; then what `then` does.
 * - `count`: to the input, a number a step, and offers it at each. `leave`: the same, and leaves at the order to stop.
 * - `loop`: for ever in one step until it shall stop. `deaf`: whatever is asked.
 * - `again`: counts to the next ten, and asks to be run again. `quit`: asks so with nothing offered.
 * - `break`, `throw`, `stop`: what no guest may do.
 * - `module`: how many programs this kind has loaded, since it was made. */
interface StandIn {
  readonly does: string;
  readonly name?: string;
}

export function standInGuest(): GuestKind {
  const kind = { loaded: 0 };
  return {
    load: (source) => {
      const program = JSON.parse(source.programJson) as StandIn;
      kind.loaded += 1;
      if (program.does === 'fault') {
        return Promise.reject(new GuestFault('missing_package', 'there is no package "x" here'));
      }
      return Promise.resolve(programOf(program, source, kind));
    },
  };
}

function programOf(
  program: StandIn,
  source: GuestSource,
  kind: { readonly loaded: number },
): GuestProgram {
  return {
    begin: (task) => {
      if (program.does === 'throw') throw new Error('begun badly');
      return new StandInRun(program, source, task, kind.loaded);
    },
    forget: () => {},
  };
}

class StandInRun implements GuestRun {
  readonly #program: StandIn;
  readonly #source: GuestSource;
  readonly #task: GuestTask;
  readonly #loaded: number;
  #count: number;

  constructor(program: StandIn, source: GuestSource, task: GuestTask, loaded: number) {
    this.#program = program;
    this.#source = source;
    this.#task = task;
    this.#loaded = loaded;
    this.#count = task.stateJson === null ? 0 : (JSON.parse(task.stateJson) as { i: number }).i;
  }

  step(): GuestStep {
    const { input, isStopped } = this.#task;
    switch (this.#program.does) {
      case 'double':
        return resultOf(Number(this.#input()) * 2);
      case 'echo':
        return { type: 'result', value: input };
      case 'bytes':
        return { type: 'result', value: { bytes: this.#source.bytesOf(this.#program.name ?? '') } };
      case 'shared':
        return { type: 'result', value: this.#source.shared ?? { json: '"none"' } };
      case 'about': {
        const { taskId, jobId, index, attempt } = this.#task;
        return resultOf({ taskId, jobId, index, attempt, memoryMb: this.#source.memoryMb });
      }
      case 'fail': {
        const about = { errorType: 'ValueError', message: 'no such row', isRetryable: false };
        return { type: 'failure', ...about, stack: 'at total (program:3:14)' };
      }
      case 'print':
        this.#task.print('first\nsec');
        this.#task.print('ond');
        return resultOf(null);
      case 'count':
        return this.#countOn(Number(this.#input()));
      case 'leave':
        if (isStopped()) return { type: 'stopped' };
        return this.#countOn(Infinity);
      case 'again':
        return this.#again(Number(this.#input()));
      case 'quit':
        return { type: 'again' };
      case 'loop':
        this.#task.print('looping\n');
        while (!isStopped());
        if (this.#task.isCheckpointDue()) this.#task.offer('{"i":7}');
        return { type: 'stopped' };
      case 'deaf':
        for (;;);
      case 'module':
        return resultOf(this.#loaded);
      case 'stop':
        return { type: 'stopped' };
      default:
        return { type: 'broken', why: 'it was told to break' };
    }
  }

  #countOn(last: number): GuestStep {
    this.#count += 1;
    this.#task.report(this.#count / last, `at ${this.#count}`);
    this.#task.offer(`{"i":${this.#count}}`);
    return this.#count >= last ? resultOf([this.#count, this.#task.stateJson]) : { type: 'more' };
  }

  #again(last: number): GuestStep {
    if (this.#count >= last) return resultOf([this.#count, this.#task.stateJson]);
    this.#count += 10;
    this.#task.offer(`{"i":${this.#count}}`);
    return { type: 'again' };
  }

  #input(): unknown {
    const { input } = this.#task;
    return 'json' in input ? JSON.parse(input.json) : input.bytes.length;
  }
}

function resultOf(value: unknown): GuestStep {
  return { type: 'result', value: { json: JSON.stringify(value) } };
}
