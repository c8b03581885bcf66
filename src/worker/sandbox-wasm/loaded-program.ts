// A program that is ready: its module compiled, and all that its instances find around them.

import type { GuestTask } from '../sandbox/guest.ts';
import { type BoundedModule, pageBytes } from './bounded-module.ts';
import {
  type CompiledModule,
  type ExportedFunction,
  type Instance,
  instantiate,
  type LinearMemory,
  newMemory,
  toUtf8,
} from './engine.ts';
import type { ProgramImports } from './import-object.ts';
import type { WasmInterface } from './interfaces.ts';
import { type Resumed, Surroundings } from './surroundings.ts';
import type { WasmProgram } from './wasm-program.ts';

/** Files in memory may take this share of what the task may have, and so much in any case. */
const filesShare = 1 / 4;
const filesLeastBytes = 16 * 1024 * 1024;

export interface LoadedProgram {
  readonly program: WasmProgram;
  readonly used: WasmInterface;
  readonly bounded: BoundedModule;
  readonly module: CompiledModule;
  readonly imports: ProgramImports;
  /** In UTF-8, as the module gets them. */
  readonly args: readonly Uint8Array[];
  /** Each as `NAME=value`, without what every task has of its own. */
  readonly env: readonly Uint8Array[];
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
  readonly shared: Uint8Array | null;
  readonly nowMs: () => number;
}

/** A program that is there, before any of its code has run but what its module begins with. */
export interface Placed {
  readonly instance: Instance;
  readonly host: Surroundings;
}

export function surround(loaded: LoadedProgram, task: GuestTask, resumed: Resumed): Surroundings {
  const { program, used, args, files, shared, nowMs } = loaded;
  const memoryBytes = program.memoryMb * 1024 * 1024;
  const options = {
    nowMs,
    args,
    env: environmentOf(loaded, task),
    files,
    shared,
    filesMostBytes: Math.max(filesLeastBytes, memoryBytes * filesShare),
    writesNoFiles: used === 'steps',
  };
  return new Surroundings(options, task, resumed);
}

/** An instance that goes from task to task is not told which: it reads its environment once. */
function environmentOf({ env, used }: LoadedProgram, task: GuestTask): readonly Uint8Array[] {
  const ofJob = [...env, toUtf8(`MUSTER_JOB_ID=${task.jobId}`)];
  if (used === 'calls') return ofJob;
  return [
    ...ofJob,
    toUtf8(`MUSTER_TASK_ID=${task.taskId}`),
    toUtf8(`MUSTER_INDEX=${task.index}`),
    toUtf8(`MUSTER_ATTEMPT=${task.attempt}`),
  ];
}

/** Runs what the module begins with: throws what that throws. */
export function place(loaded: LoadedProgram, host: Surroundings): Placed {
  const { module, bounded, imports } = loaded;
  const { memory } = bounded.outline;
  const imported =
    memory?.isImported === true ? newMemory(memory.minimum, bounded.pagesMost) : null;
  if (imported !== null) host.memory.attach(imported);
  const instance = instantiate(module, imports.objectFor(host, imported));
  if (imported === null && bounded.exportsMemory) {
    host.memory.attach(instance.exports['memory'] as LinearMemory);
  }
  return { instance, host };
}

/** What its memory may grow to, in bytes. 0: it begins with almost all of that, so its size says nothing. */
export function memoryMostBytes({ bounded }: LoadedProgram): number {
  const { outline, pagesMost } = bounded;
  const begins = outline.memory?.minimum ?? 0;
  return begins > pagesMost / 2 ? 0 : pagesMost * pageBytes;
}

/** There is one: its type was looked at when the program was loaded. */
export function exportedFunction({ instance }: Placed, name: string): ExportedFunction {
  return instance.exports[name] as ExportedFunction;
}

/** Runs what a library of its own wants to do first, where it exports that. */
export function initialize({ instance }: Placed): void {
  const first = instance.exports['_initialize'];
  if (typeof first === 'function') (first as ExportedFunction)();
}
