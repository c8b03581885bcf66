// Starts a child that runs programs in Python, under the permission flags of a child, and talks with it.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GuestStep } from '../../src/worker/sandbox/guest.ts';
import { nodeFlags } from '../../src/worker/node/confinement/node-flags.ts';
import { sesPath } from '../../src/worker/node/entry-points.ts';
import type {
  LoadOrder,
  Order,
  PythonChildSettings,
  RunOrder,
  RunReport,
} from '../fixtures/python-child.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const pythonFolder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
const heapMb = 512;

interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly type: string; readonly message: string };
  readonly notes: readonly string[];
}

/** What a program says when it cannot be loaded. */
export class LoadFault extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

export class PythonChild {
  readonly #process: ChildProcess;
  /** What the child said beside its answers. */
  readonly notes: string[] = [];

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  static async start(imageFile: string | null = null): Promise<PythonChild> {
    const settings: PythonChildSettings = { sesPath, pythonFolder, imageFile };
    const folders = ['src', 'test/fixtures', 'node_modules/pyodide', 'node_modules/acorn'];
    const code = {
      entry: join(root, 'test/fixtures/python-child.ts'),
      folders: folders.map((folder) => join(root, folder)),
      files: [join(root, 'package.json'), sesPath, ...(imageFile === null ? [] : [imageFile])],
      isWhole: false,
    };
    const child = fork(code.entry, [JSON.stringify(settings)], {
      execArgv: nodeFlags(process.execPath, heapMb, code),
      env: { MUSTER_SECRET: 'from the environment' },
      serialization: 'advanced',
    });
    const made = new PythonChild(child);
    await made.#answer();
    return made;
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Milliseconds that it took. Rejects with a `LoadFault`. */
  load(order: Omit<LoadOrder, 'program'> & { readonly program: object | string }): Promise<number> {
    const { program } = order;
    const whole = typeof program === 'string' ? { kind: 'python', source: program } : program;
    return this.#ask({ do: 'load', order: { ...order, program: whole } }) as Promise<number>;
  }

  run(order: RunOrder): Promise<RunReport> {
    return this.#ask({ do: 'run', order }) as Promise<RunReport>;
  }

  /** Loads a program, runs it once, and returns what came of it. */
  async try(source: string, order: Partial<RunOrder & LoadOrder> = {}): Promise<RunReport> {
    const jobId = order.jobId ?? 'job';
    await this.load({ ...order, jobId, program: source });
    return this.run({ taskId: `${jobId}-0`, ...order, jobId });
  }

  /** From now on interpreters start from it. */
  async makeImage(): Promise<number> {
    return (await this.#ask({ do: 'image' })) as number;
  }

  ask(order: Order): Promise<unknown> {
    return this.#ask(order);
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }

  async #ask(order: Order): Promise<unknown> {
    this.#process.send(order);
    return this.#answer();
  }

  async #answer(): Promise<unknown> {
    const ended = new AbortController();
    const { signal } = ended;
    const exit = once(this.#process, 'exit', { signal }).then(([code, by]) => {
      throw new Error(`the child has ended: ${String(by ?? code)}`);
    });
    try {
      const [answer] = (await Promise.race([once(this.#process, 'message', { signal }), exit])) as [
        Answer,
      ];
      this.notes.push(...answer.notes);
      if (answer.error === undefined) return answer.value;
      throw new LoadFault(answer.error.type, answer.error.message);
    } finally {
      exit.catch(() => {});
      ended.abort();
    }
  }
}

/** The result of a step as a value; fails when there is none. */
export function valueOf(step: GuestStep): unknown {
  if (step.type !== 'result' || !('json' in step.value)) {
    throw new Error(`no result, but ${JSON.stringify(step)}`);
  }
  return JSON.parse(step.value.json) as unknown;
}
