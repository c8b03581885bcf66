// The child process that runs programs, as the fuzzer sees it: it is started with the flags of a
// production child, watched by its position, and ended when it makes no progress.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chooseConfinement } from '../../../src/worker/node/confinement.ts';
import { sandboxEntry, sesPath } from '../../../src/worker/node/entry-points.ts';
import type { ChildSettings } from '../../../src/worker/sandbox/messages.ts';
import type { Vocabulary } from './grammar/vocabulary.ts';
import type { FromInside, ToInside } from './messages.ts';
import type { Order } from './program-tree.ts';

/** A program takes less than a millisecond, and a start half a second, but machines may be busy. */
const lookEveryMs = 1_000;
const looksWithoutHeadway = 20;
const startLooks = 120;
const heapMb = 512;
const positionFd = 4;
const inside = join(import.meta.dirname, 'inside', 'main.ts');
const repository = join(import.meta.dirname, '..', '..', '..');

/** Runs batches of programs; after an end that is not `checked` it is of no use. */
export interface ProgramRunner {
  readonly vocabulary: Vocabulary;
  run(module: string, orders: readonly Order[]): Promise<BatchEnd>;
  end(): Promise<void>;
}

export type BatchEnd =
  | {
      readonly type: 'checked';
      readonly faults: readonly string[];
      readonly refusal: string | null;
    }
  /** `at`: which run of the batch it was in, counted from 1. */
  | { readonly type: 'ended'; readonly how: string; readonly at: number; readonly words: string }
  | { readonly type: 'hung'; readonly at: number };

export class FuzzingChild implements ProgramRunner {
  readonly vocabulary: Vocabulary;
  readonly #process: ChildProcess;
  readonly #position: number;
  readonly #words: () => string;

  private constructor(started: Started, vocabulary: Vocabulary) {
    this.#process = started.process;
    this.#position = started.position;
    this.#words = started.words;
    this.vocabulary = vocabulary;
  }

  static async start(): Promise<FuzzingChild> {
    const started = startProcess();
    const answer = await answerOf(
      started.process,
      () => 0,
      startLooks,
      () => {},
    );
    if (answer.type === 'said' && answer.message[0] === 'ready') {
      return new FuzzingChild(started, answer.message[1]);
    }
    throw new Error(`the fuzzing child did not start: ${started.words()}`);
  }

  async run(module: string, orders: readonly Order[]): Promise<BatchEnd> {
    const look = () => this.#at();
    const answer = await answerOf(this.#process, look, looksWithoutHeadway, () => {
      const message: ToInside = ['batch', module, orders];
      this.#process.send(message, () => {});
    });
    if (answer.type === 'hung') return { type: 'hung', at: this.#at() };
    if (answer.type === 'ended') {
      return { type: 'ended', how: answer.how, at: this.#at(), words: this.#words() };
    }
    const [, faults, refusal] = answer.message as Extract<
      FromInside,
      readonly ['checked', ...unknown[]]
    >;
    return { type: 'checked', faults, refusal };
  }

  async end(): Promise<void> {
    closeSync(this.#position);
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  #at(): number {
    const position = new Int32Array(1);
    readSync(this.#position, position, 0, 4, 0);
    return position[0] ?? 0;
  }
}

interface Started {
  readonly process: ChildProcess;
  readonly position: number;
  /** The last that it wrote. */
  readonly words: () => string;
}

function startProcess(): Started {
  const folder = mkdtempSync(join(tmpdir(), 'muster-fuzz-'));
  const position = openSync(join(folder, 'position'), 'w+');
  rmSync(folder, { recursive: true });
  const settings: ChildSettings = {
    sesPath,
    resultLimitBytes: 1 << 20,
    outputLimitBytes: 1 << 16,
    stateLimitBytes: 1 << 20,
    outputMessagesPerSecond: 100,
    positionFd,
  };
  const { file, args } = chooseConfinement(process.execPath, 'off').command(
    JSON.stringify(settings),
    heapMb,
  );
  // All flags are those of production; the entry is ours, and may be read.
  const ours = args.flatMap((arg) =>
    arg === sandboxEntry ? [`--allow-fs-read=${repository}/*`, inside] : [arg],
  );
  const child = spawn(file, ours, {
    cwd: dirname(inside),
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', position],
  });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  return { process: child, position, words: () => words };
}

type Answer =
  | { readonly type: 'said'; readonly message: FromInside }
  | { readonly type: 'ended'; readonly how: string }
  | { readonly type: 'hung' };

/** `at`: how far it is; the child is ended when that is the same for too many looks. */
function answerOf(
  child: ChildProcess,
  at: () => number,
  looks: number,
  ask: () => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    let last = at();
    let left = looks;
    const settle = (answer: Answer) => {
      clearInterval(timer);
      child.off('message', onMessage);
      child.off('close', onClose);
      resolve(answer);
    };
    const onMessage = (message: unknown) => {
      const [word] = message as FromInside;
      if (word === 'ready' || word === 'checked')
        settle({ type: 'said', message: message as FromInside });
    };
    const onClose = (code: number | null, signal: string | null) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      settle(left > 0 ? { type: 'ended', how } : { type: 'hung' });
    };
    const timer = setInterval(() => {
      const now = at();
      left = now === last ? left - 1 : looks;
      last = now;
      if (left <= 0) child.kill('SIGKILL');
    }, lookEveryMs);
    child.on('message', onMessage);
    child.on('close', onClose);
    ask();
  });
}
