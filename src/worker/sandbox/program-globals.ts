// The globals of a program beside the intrinsics: random numbers that depend on the task alone, a
// console that is captured, timers that end with the attempt. Every function here is handed to task
// code: none returns or receives an object of the host. Each is frozen where it is made, which costs less
// than to have the library search for what is not: whoever adds one freezes it too (a test walks over them).

import type { Host } from './host.ts';
import { claimStackRoom } from './stack-room.ts';

/** What the globals that are made ahead ask of the program that has moved in. */
export interface TenantPorts {
  /** The attempt whose console lines and timers they serve; null between two attempts. */
  readonly current: { log(line: string): void } | null;
  /** Timers that one attempt may have running at once. */
  readonly timersAtMost: number;
  onTimerError(error: unknown): void;
}

/** What all globals need of their program. */
export interface ProgramPorts extends TenantPorts {
  random(): number;
  /** What the program gets for the time: when its job was submitted. */
  readonly timeMs: number;
}

const lineLimit = 4096;
const { freeze } = Object;
/** Of the locked realm: taken when it is first needed. */
let mathDescriptors: PropertyDescriptorMap | null = null;

type Timers = Pick<Host, 'startTimer' | 'stopTimer'>;

export function programGlobals(
  program: TenantPorts,
  host: Timers,
): {
  readonly globals: object;
  readonly clearTimers: () => void;
} {
  const { timers, clearTimers } = programTimers(program, host);
  const globals = {
    console: capturedConsole(program),
    ...timers,
    queueMicrotask: freeze(microtasks(program)),
    // Functions that a TypeScript runner has compiled call it.
    __name: freeze((target: unknown) => target),
  };
  return { globals, clearTimers };
}

/** Everything of `Math`, with random numbers of the task. */
export function seededMath(program: Pick<ProgramPorts, 'random'>): object {
  mathDescriptors ??= Object.getOwnPropertyDescriptors(Math);
  const random = freeze(() => program.random());
  const math: object = Object.create(Object.prototype, {
    ...mathDescriptors,
    random: { value: random, writable: false, enumerable: false, configurable: false },
  });
  return freeze(math);
}

function capturedConsole(program: TenantPorts): object {
  const write = freeze((...items: unknown[]) => {
    program.current?.log(items.map(lineOf).join(' '));
  });
  const ignore = freeze(() => {});
  return freeze({
    log: write,
    info: write,
    warn: write,
    error: write,
    debug: write,
    trace: write,
    dir: write,
    table: write,
    group: ignore,
    groupEnd: ignore,
    time: ignore,
    timeEnd: ignore,
    timeLog: ignore,
    count: ignore,
    assert: ignore,
    clear: ignore,
  });
}

function lineOf(item: unknown): string {
  try {
    if (typeof item === 'string') return item.slice(0, lineLimit);
    if (item instanceof Error) return `${item.name}: ${item.message}`.slice(0, lineLimit);
    return (JSON.stringify(item) ?? typeof item).slice(0, lineLimit);
  } catch {
    return '[unprintable]';
  }
}

function microtasks(program: TenantPorts): (callback: unknown) => void {
  return (callback) => {
    if (typeof callback !== 'function') throw new TypeError('queueMicrotask needs a function');
    const attempt = program.current;
    const run = () => {
      try {
        (callback as () => void)();
      } catch (error) {
        // Of an attempt that is over nobody asks any more.
        if (program.current === attempt) program.onTimerError(error);
      }
    };
    void Promise.resolve().then(run);
  };
}

function programTimers(
  program: TenantPorts,
  { startTimer, stopTimer }: Timers,
): { timers: object; clearTimers: () => void } {
  const running = new Map<number, unknown>();
  let lastId = 0;
  const clear = (given: unknown) => {
    const id = Number(given);
    if (!running.has(id)) return;
    claimStackRoom();
    stopTimer(running.get(id));
    running.delete(id);
  };
  const start = (callback: unknown, delay: unknown, again: boolean, args: unknown[]) => {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function');
    // `Number` may run code of the program, which may start timers: so it comes before the checks.
    const delayMs = Math.min(Math.max(Number(delay) || 0, again ? 1 : 0), 0x7fffffff);
    if (program.current === null) throw new TypeError('the task is over: no timer can be started');
    if (running.size >= program.timersAtMost) throw new RangeError('too many timers in one task');
    claimStackRoom();
    const id = ++lastId;
    const fire = () => {
      if (again) running.set(id, startTimer(fire, delayMs));
      else running.delete(id);
      try {
        (callback as (...args: unknown[]) => void)(...args);
      } catch (error) {
        program.onTimerError(error);
      }
    };
    running.set(id, startTimer(fire, delayMs));
    return id;
  };
  const timers = {
    setTimeout: freeze((callback: unknown, delay?: unknown, ...args: unknown[]) =>
      start(callback, delay, false, args),
    ),
    setInterval: freeze((callback: unknown, delay?: unknown, ...args: unknown[]) =>
      start(callback, delay, true, args),
    ),
    clearTimeout: freeze(clear),
    clearInterval: clear,
  };
  const clearTimers = () => {
    if (running.size === 0) return;
    for (const timer of running.values()) stopTimer(timer);
    running.clear();
  };
  return { timers, clearTimers };
}
