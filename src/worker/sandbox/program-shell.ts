// A compartment with the globals of a program, made before it is known which program moves in. No code of a
// job has run in it by then, so it may be prepared while the child has nothing to do. It serves one program
// of one job, and goes with it.

import { checkDynamicCode } from './dynamic-code.ts';
import type { Host } from './host.ts';
import { addLazyGlobals, isOwnText } from './lazy-globals.ts';
import { programGlobals, type ProgramPorts, type TenantPorts } from './program-globals.ts';
import { type Compartment, makeCompartment } from './realm.ts';

/** Nothing calls it: the globals are asked by code of the program only. */
const nobody: ProgramPorts = {
  random: () => 0,
  timeMs: 0,
  current: null,
  timersAtMost: 0,
  onTimerError: () => {},
};

/** The names of the globals, the same in every shell before a program has run in it. */
let names: readonly string[] | null = null;
const identifier = /^[A-Za-z_$][\w$]*$/;

export class ProgramShell {
  /** Stops the timers that the program has started. */
  readonly clearTimers: () => void;
  readonly #host: Host;
  readonly #compartment: Compartment;
  #program: ProgramPorts = nobody;
  /** The source that was parsed already. Everything else that is evaluated here is checked. */
  #parsed: string | null = null;

  constructor(host: Host) {
    this.#host = host;
    const programNow = () => this.#program;
    const { globals, clearTimers } = programGlobals(portsOf(programNow), host);
    this.clearTimers = clearTimers;
    this.#compartment = makeCompartment(globals, (text) =>
      text === this.#parsed || isOwnText(text) ? text : checkDynamicCode(text),
    );
    addLazyGlobals(this.#compartment, programNow);
    // The library makes its evaluator when something is evaluated for the first time.
    this.evaluate('0');
  }

  /** Globals that a program can be handed as parameters. */
  get names(): readonly string[] {
    return (names ??= Object.getOwnPropertyNames(this.globalThis).filter(
      (name) => identifier.test(name) && name !== 'eval',
    ));
  }

  get globalThis(): object {
    return this.#compartment.globalThis;
  }

  /** From now on the globals serve this program. */
  moveIn(program: ProgramPorts): void {
    this.#program = program;
  }

  /** `source` was made by the parser. Throws what the engine says of it, with the line of a syntax error. */
  evaluate(source: string): unknown {
    this.#parsed = source;
    try {
      return this.#compartment.evaluate(source, { __rejectSomeDirectEvalExpressions__: false });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw withLine(error, this.#host.lineOfSyntaxError(source));
    } finally {
      this.#parsed = null;
    }
  }
}

/** What is made before the program is known, and serves it later. */
function portsOf(programNow: () => ProgramPorts): TenantPorts {
  return {
    get current() {
      return programNow().current;
    },
    get timersAtMost() {
      return programNow().timersAtMost;
    },
    onTimerError: (error) => programNow().onTimerError(error),
  };
}

/** Adds the line, which the evaluator does not report. */
function withLine(error: SyntaxError, line: number | null): SyntaxError {
  return line === null ? error : new SyntaxError(`${error.message} (line ${line})`);
}
