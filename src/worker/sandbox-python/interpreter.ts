// An interpreter in a compartment that has nothing: started cold or from the image of its memory, and the few
// functions of its driver. What comes out of the compartment was made by code that may be hostile, so only strings,
// numbers and copies of bytes are taken from it.

import type { GuestTask, GuestValue } from '../sandbox/guest.ts';
import { type Compartment, harden, makeCompartment } from '../sandbox/realm.ts';
import { claimStackRoom } from '../sandbox/stack-room.ts';
import { abiVersion, type Distribution, pythonVersion, wheelTag } from './distribution.ts';
import { driverModules } from './driver/driver-modules.ts';
import { lockParts, type LockedParts, nativeText } from './engine-parts.ts';
import { pageBytes, pagesOf, withMemoryPages } from './memory-maximum.ts';
import { type ModuleForm, moduleOfInterpreter, moduleOfLoader, scriptOf } from './script-form.ts';
import { bytesOfView, surroundings } from './surroundings.ts';
import type { TaskClock } from './task-clock.ts';

export interface InterpreterSettings {
  readonly files: Distribution;
  /** Memory of the interpreter and the program in it together. */
  readonly memoryMb: number;
  readonly clock: TaskClock;
  /** Fills with random bytes of the task. */
  readonly fill: (bytes: Uint8Array) => void;
}

/** What the driver in Python asks of the host; it may be called at any time, by anybody in there. */
export interface InterpreterPorts {
  isStopped(): boolean;
  isDue(): boolean;
  offer(stateJson: string): void;
  report(share: number, message: string | null): void;
  givesWay(): void;
  entropy(): string | null;
  setEntropy(stateJson: string): void;
  give(bytes: Uint8Array<ArrayBuffer>): void;
  /** A piece of the output, which may end within a character. */
  print(bytes: Uint8Array): void;
  /** Whether the code that runs is to be interrupted now: asked at every few steps of it. */
  isInterrupted(): boolean;
}

/** What is used here of the interpreter's own interface. */
interface Pyodide {
  runPython(source: string): unknown;
  pyimport(name: string): Driver;
  setStdin(options: object): void;
  setStdout(options: object): void;
  setStderr(options: object): void;
  setInterruptBuffer(buffer: object): void;
  makeMemorySnapshot(): unknown;
}

type Driver = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
type LoadPyodide = (options: object) => Promise<Pyodide>;

const folder = '/x/';
const driverPackage = 'muster_driver';
const sitePackages = `/lib/python${pythonVersion.split('.', 2).join('.')}/site-packages`;
/** The number of the signal that an interruption is for Python. */
const interruption = 2;
/** The least that the interpreter needs, with a program in it that does next to nothing. */
export const leastMemoryMb = 64;

let lockedParts: LockedParts | null = null;

/** An interpreter in a compartment of its own. Rejects when it does not start, or is not sound. */
export async function startInterpreter(
  settings: InterpreterSettings,
  image: Uint8Array | null,
): Promise<Interpreter> {
  const pyodide = await startPyodide(settings, image);
  if (image === null) pyodide.runPython(bootText);
  return new Interpreter(pyodide);
}

/** The memory of an interpreter that has its driver and has run nothing else. */
export async function takeImage(settings: InterpreterSettings): Promise<Uint8Array<ArrayBuffer>> {
  const pyodide = await startPyodide(settings, null, { _makeSnapshot: true });
  pyodide.runPython(bootText);
  return bytesOfView(pyodide.makeMemorySnapshot());
}

/** Makes the modules of the driver. Their texts are ASCII, so that a literal of JSON is one of Python. */
const bootText = `
def boot(texts):
    import sys, types
    package = sys.modules['${driverPackage}'] = types.ModuleType('${driverPackage}')
    package.__path__ = []
    for name, text in texts:
        full_name = f'${driverPackage}.{name}'
        module = sys.modules[full_name] = types.ModuleType(full_name)
        setattr(package, name, module)
        exec(compile(text, f'<driver/{name}>', 'exec'), module.__dict__)
boot(${JSON.stringify(driverModules)})
del boot
`;

/** Before it has its driver. Exported for the walk over all that can be reached from it. */
export async function startPyodide(
  settings: InterpreterSettings,
  image: Uint8Array | null,
  options: object = {},
): Promise<Pyodide> {
  const notes: string[] = [];
  const globals = surroundings({
    parts: (lockedParts ??= lockParts()),
    clock: settings.clock,
    fill: settings.fill,
    fileOf: (path) => fileFor(path, settings, image),
    note: (line) => {
      if (notes.length < 20) notes.push(line);
    },
  });
  const compartment = new ScriptCompartment(globals);
  const { files } = settings;
  try {
    const createPyodideModule = compartment.run(files, moduleOfInterpreter);
    const loadPyodide = compartment.run(files, moduleOfLoader) as LoadPyodide;
    return await loadPyodide({
      createPyodideModule,
      indexURL: folder,
      lockFileContents: { info: { abi_version: abiVersion }, packages: {} },
      jsglobals: Object.freeze({ __proto__: null }),
      env: { PYTHONHASHSEED: '0', HOME: '/task' },
      ...(image !== null && { _loadSnapshot: new Uint8Array(image) }),
      ...options,
    });
  } catch (error) {
    const why = [...notes, sentenceOf(error)].join('; ');
    throw new Error(`the interpreter did not start: ${why}`, { cause: error });
  }
}

/** A compartment for the scripts of the interpreter and nothing else. */
class ScriptCompartment {
  readonly #globals: Readonly<Record<string, unknown>>;
  readonly #compartment: Compartment;
  #script: string | null = null;

  constructor(globals: Readonly<Record<string, unknown>>) {
    this.#globals = globals;
    this.#compartment = makeCompartment(globals, (source) => {
      if (source !== this.#script) throw new SyntaxError('no code can be made here');
      return source;
    });
  }

  /** Returns what the module exports. */
  run(files: Distribution, form: ModuleForm): unknown {
    const source = new nativeText.Decoder().decode(files[form.file]);
    // As parameters: a global that is looked up by its name costs many times as much.
    const names = Object.keys(this.#globals);
    this.#script = scriptOf(source, form, ['globalThis', ...names]);
    const options = { __rejectSomeDirectEvalExpressions__: false };
    const script = this.#compartment.evaluate(this.#script, options) as (
      ...args: unknown[]
    ) => unknown;
    this.#script = null;
    return script(this.#compartment.globalThis, ...names.map((name) => this.#globals[name]));
  }
}

/** In memory of its own: what comes from the platform may lie in one buffer with other things. */
function fileFor(
  path: string,
  { files, memoryMb }: InterpreterSettings,
  image: Uint8Array | null,
): ArrayBuffer | null {
  if (path === `${folder}python_stdlib.zip`)
    return new Uint8Array(files['python_stdlib.zip']).buffer;
  if (path !== `${folder}pyodide.asm.wasm`) return null;
  const initial = image === null ? 0 : pagesOfImage(image);
  const maximum = pagesOf(Math.max(memoryMb, leastMemoryMb));
  return withMemoryPages(files['pyodide.asm.wasm'], { initial, maximum }).buffer;
}

/** What was memory in an image follows a head, whose length is the second of its words. */
function pagesOfImage(image: Uint8Array): number {
  const headBytes = new DataView(image.buffer, image.byteOffset).getUint32(4, true);
  return Math.ceil((image.length - headBytes) / pageBytes);
}

/** What came of a step in the interpreter. */
export type Said =
  | { readonly type: 'said'; readonly text: string }
  /** The driver itself was interrupted. */
  | { readonly type: 'interrupted' }
  /** Nothing can be asked any more. */
  | { readonly type: 'broken'; readonly why: string };

export class Interpreter {
  readonly #pyodide: Pyodide;
  readonly #driver: Driver;

  constructor(pyodide: Pyodide) {
    this.#pyodide = pyodide;
    const module = pyodide.pyimport(`${driverPackage}.main`);
    const names = ['version', 'connect', 'install', 'load', 'begin', 'step'] as const;
    this.#driver = Object.fromEntries(names.map((name) => [name, module[name]!]));
    const version = this.#call('version');
    if (version.type !== 'said' || version.text !== pythonVersion) {
      throw new Error(`the interpreter is not sound: ${JSON.stringify(version)}`);
    }
  }

  /** Before all else. */
  connect(ports: InterpreterPorts): void {
    const write = (view: unknown) => {
      claimStackRoom();
      const bytes = bytesOfView(view);
      ports.print(bytes);
      return bytes.length;
    };
    this.#pyodide.setStdin(harden({ stdin: () => null }));
    this.#pyodide.setStdout(harden({ write }));
    this.#pyodide.setStderr(harden({ write }));
    this.#pyodide.setInterruptBuffer(interruptBuffer(() => ports.isInterrupted()));
    this.#driver['connect']!(handedPorts(ports));
  }

  /** Unpacks a wheel; an empty text, or a fault. */
  install(name: string, bytes: Uint8Array): Said {
    return this.#call('install', name, new Uint8Array(bytes), sitePackages, wheelTag);
  }

  /** Executes the program; an empty text, or a fault. `seed` is for what it draws meanwhile. */
  load(source: string, functionName: string, shared: GuestValue | null, seed: string): Said {
    return this.#call('load', source, functionName, ...valueArgs(shared), seed);
  }

  begin(task: GuestTask, sliceMs: number): Said {
    const { taskId, jobId, index, attempt, input, stateJson } = task;
    const state = stateJson ?? undefined;
    return this.#call('begin', taskId, jobId, index, attempt, ...valueArgs(input), state, sliceMs);
  }

  step(sliceMs: number): Said {
    return this.#call('step', sliceMs);
  }

  #call(name: string, ...args: readonly unknown[]): Said {
    try {
      const text = this.#driver[name]!(...args);
      if (typeof text === 'string') return { type: 'said', text };
      return { type: 'broken', why: 'the interpreter said nothing' };
    } catch (error) {
      if (typeOf(error) === 'KeyboardInterrupt') return { type: 'interrupted' };
      return { type: 'broken', why: sentenceOf(error) };
    }
  }
}

/** As two parameters of the driver: a text, or bytes. */
function valueArgs(
  value: GuestValue | null,
): readonly [string | undefined, Uint8Array | undefined] {
  if (value === null) return [undefined, undefined];
  return 'json' in value ? [value.json, undefined] : [undefined, new Uint8Array(value.bytes)];
}

/** Its element 0 is asked for a signal, and set to 0 when it was taken. */
function interruptBuffer(isInterrupted: () => boolean): object {
  return harden({
    get 0() {
      return isInterrupted() ? interruption : 0;
    },
    set 0(_taken: number) {},
  });
}

/** The same as functions without an object, which take nothing for granted, not even room on the stack. */
function handedPorts(ports: InterpreterPorts): object {
  return handedOut({
    is_stopped: () => ports.isStopped(),
    is_due: () => ports.isDue(),
    offer: (stateJson: unknown) => {
      if (typeof stateJson === 'string') ports.offer(stateJson);
    },
    report: (share: unknown, message: unknown) => {
      if (typeof share !== 'number') return;
      ports.report(share, typeof message === 'string' ? message : null);
    },
    gives_way: () => ports.givesWay(),
    entropy: () => ports.entropy() ?? undefined,
    set_entropy: (stateJson: unknown) => {
      if (typeof stateJson === 'string') ports.setEntropy(stateJson);
    },
    give: (view: unknown) => ports.give(bytesOfView(view)),
  });
}

function handedOut(functions: Readonly<Record<string, (...args: unknown[]) => unknown>>): object {
  const handed = Object.entries(functions).map(([name, call]) => {
    const withRoom = (...args: unknown[]) => {
      claimStackRoom();
      return call(...args);
    };
    return [name, withRoom] as const;
  });
  return harden(Object.fromEntries(handed));
}

function typeOf(error: unknown): unknown {
  try {
    return (error as { readonly type?: unknown }).type;
  } catch {
    return null;
  }
}

const sentenceLimit = 300;

/** Of what was thrown in there, which may be anything. */
function sentenceOf(error: unknown): string {
  try {
    const lines = String(error).trim().split('\n');
    return (lines.at(-1) ?? '').slice(0, sentenceLimit);
  } catch {
    return 'an error that cannot be read';
  }
}
