// Programs that are WebAssembly modules, as the driver of a child runs them. A module is compiled once per child, content
// and memory limit, for all jobs that have it.

import type {
  GuestKind,
  GuestProgram,
  GuestRun,
  GuestSource,
  GuestValue,
} from '../sandbox/guest.ts';
import { invalid } from './binary-reader.ts';
import { type BoundedModule, boundModule } from './bounded-module.ts';
import { CalledProgram } from './calls-run.ts';
import { describeHostError } from './ends.ts';
import { compile, type CompiledModule, CompileError, toUtf8 } from './engine.ts';
import { ProgramImports } from './import-object.ts';
import { checkImports, interfaceOf, type WasmInterface } from './interfaces.ts';
import type { LoadedProgram } from './loaded-program.ts';
import { outlineOf } from './module-outline.ts';
import { StepsRun } from './steps-run.ts';
import { WasiRun } from './wasi-run.ts';
import { readProgram, type WasmProgram } from './wasm-program.ts';

export interface WasmKindOptions {
  /** A clock that never goes back, in ms. Taken before the lock. */
  readonly nowMs: () => number;
}

interface ReadyModule {
  readonly used: WasmInterface;
  readonly bounded: BoundedModule;
  readonly module: CompiledModule;
}

interface SharedModule {
  readonly ready: Promise<ReadyModule>;
  /** Programs that have it. */
  users: number;
}

export class WasmKind implements GuestKind {
  readonly #options: WasmKindOptions;
  readonly #modules = new Map<string, SharedModule>();

  constructor(options: WasmKindOptions) {
    this.#options = options;
  }

  async load(source: GuestSource): Promise<GuestProgram> {
    const program = readProgram(source);
    const files = program.files.map(([path, sha256]) => [path, source.bytesOf(sha256)] as const);
    const key = `${program.module} ${program.memoryMb}`;
    const shared = this.#share(key, () => source.bytesOf(program.module), program);
    let isForgotten = false;
    const forget = () => {
      if (!isForgotten) this.#letGo(key, shared);
      isForgotten = true;
    };
    try {
      const ready = await shared.ready;
      const { nowMs } = this.#options;
      const sharedBytes = source.shared === null ? null : bytesOf(source.shared);
      const args = ['task', ...program.args].map(toUtf8);
      const env = program.env.map(([name, value]) => toUtf8(`${name}=${value}`));
      const imports = new ProgramImports(ready.bounded.outline, ready.used);
      const loaded = { ...ready, imports, program, args, env, files, shared: sharedBytes, nowMs };
      return programOf(loaded, forget);
    } catch (error) {
      forget();
      throw error;
    }
  }

  #share(key: string, bytes: () => Uint8Array, program: WasmProgram): SharedModule {
    const known = this.#modules.get(key);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    const made = { ready: makeReady(bytes, program), users: 1 };
    this.#modules.set(key, made);
    return made;
  }

  #letGo(key: string, shared: SharedModule): void {
    shared.users--;
    if (shared.users === 0 && this.#modules.get(key) === shared) this.#modules.delete(key);
  }
}

async function makeReady(
  bytesOfModule: () => Uint8Array,
  { memoryMb }: WasmProgram,
): Promise<ReadyModule> {
  const bytes = bytesOfModule();
  const outline = outlineOf(bytes);
  const used = interfaceOf(outline);
  checkImports(outline, used);
  const bounded = boundModule(bytes, outline, { memoryMb, exportsGlobals: used === 'steps' });
  try {
    const module = await compile(bounded.bytes);
    // The engine has what it needs of them.
    return { used, bounded: { ...bounded, bytes: new Uint8Array(0) }, module };
  } catch (error) {
    if (error instanceof CompileError)
      throw invalid(`the module cannot be compiled: ${error.message}`);
    throw error;
  }
}

function bytesOf(value: GuestValue): Uint8Array {
  return 'bytes' in value ? value.bytes : toUtf8(value.json);
}

function programOf(loaded: LoadedProgram, forget: () => void): GuestProgram {
  if (loaded.used === 'wasi') return { begin: (task) => safe(new WasiRun(loaded, task)), forget };
  if (loaded.used === 'steps') return { begin: (task) => safe(new StepsRun(loaded, task)), forget };
  const called = new CalledProgram(loaded);
  return {
    begin: (task) => safe(called.begin(task)),
    forget: () => {
      called.forget();
      forget();
    },
  };
}

/** A run throws nothing, whatever is wrong here: a device may have no memory left for an input. */
function safe(run: GuestRun): GuestRun {
  return {
    step(sliceMs) {
      try {
        return run.step(sliceMs);
      } catch (error) {
        return describeHostError(error);
      }
    },
  };
}
