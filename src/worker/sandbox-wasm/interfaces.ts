// Which of the interfaces a module has, and whether all that it imports is offered.

import { invalid } from './binary-reader.ts';
import type { HostFunction, HostTable } from './host-calls.ts';
import type { ModuleImport, ModuleOutline } from './module-outline.ts';
import { assemblyScriptFunctions, musterFunctions, stateFunctions } from './muster-functions.ts';
import type { Surroundings } from './surroundings.ts';
import { descriptorFunctions } from './wasi-descriptors.ts';
import { pathFunctions } from './wasi-paths.ts';
import { processFunctions } from './wasi-process.ts';

/**
 * `wasi`: an ordinary program, which reads its input and writes its result. `calls`: a function that is called for each
 * task. `steps`: one that is called until it is done, and whose memory is its checkpoint.
 */
export type WasmInterface = 'wasi' | 'calls' | 'steps';

type Signatures = Readonly<Record<string, string>>;

const required: Readonly<Record<WasmInterface, Signatures>> = {
  wasi: { _start: '() -> ()' },
  calls: { muster_alloc: '(i32) -> i32', muster_run: '(i32, i32) -> i64' },
  steps: {
    muster_alloc: '(i32) -> i32',
    muster_begin: '(i32, i32) -> ()',
    muster_step: '() -> i32',
    muster_result: '() -> i64',
  },
};

const wasiFunctions: HostTable<Surroundings> = {
  ...descriptorFunctions,
  ...pathFunctions,
  ...processFunctions,
};

type Offer = Readonly<Record<string, HostTable<Surroundings>>>;

const inSteps: Offer = {
  wasi_snapshot_preview1: wasiFunctions,
  muster: musterFunctions,
  env: assemblyScriptFunctions,
};
const offers: Readonly<Record<WasmInterface, Offer>> = {
  wasi: { ...inSteps, muster: { ...musterFunctions, ...stateFunctions } },
  calls: { ...inSteps, muster: { ...musterFunctions, ...stateFunctions } },
  steps: inSteps,
};

const namedMost = 8;

export function interfaceOf(outline: ModuleOutline): WasmInterface {
  const has = (name: string) => outline.exports.some((each) => each.name === name);
  const found = has('muster_step') ? 'steps' : has('muster_run') ? 'calls' : 'wasi';
  if (found === 'wasi' && !has('_start')) throw invalid(noInterface(outline));
  for (const [name, signature] of Object.entries(required[found])) {
    const exported = outline.exports.find((each) => each.name === name);
    if (exported === undefined) throw invalid(`the module exports no function ${name}`);
    if (exported.signature !== signature) {
      throw invalid(
        `${name} must be a function of the type ${signature}, and is ${exported.signature ?? exported.kind}`,
      );
    }
  }
  return found;
}

function checkMemory({ memory, exports, imports }: ModuleOutline): void {
  const isThere =
    memory?.isImported === true ||
    exports.some(({ name, kind }) => name === 'memory' && kind === 'memory');
  // Without imports, an ordinary program needs none.
  if (!isThere && imports.length > 0) throw invalid('the module exports no memory');
}

function noInterface({ imports, exports }: ModuleOutline): string {
  const modules = new Set(imports.map(({ module }) => module));
  const isFrom = (pattern: RegExp) => [...modules].some((name) => pattern.test(name));
  if (isFrom(/^(?:wbg|__wbindgen)/)) {
    return 'the module was made for wasm-bindgen, which needs JavaScript of its own: build it for wasm32-wasip1';
  }
  if (imports.some(({ name }) => /^_?emscripten_|^invoke_/.test(name)) || modules.has('a')) {
    return "the module was made for Emscripten's own JavaScript: build it with -sSTANDALONE_WASM, or for WASI";
  }
  const names = exports.slice(0, namedMost).map(({ name }) => name);
  const has = names.length === 0 ? 'nothing' : names.join(', ');
  return `the module exports neither _start (WASI) nor muster_run nor muster_step; it exports ${has}`;
}

/** Names all that nobody offers. */
export function checkImports(outline: ModuleOutline, used: WasmInterface): void {
  const faults = outline.imports
    .map((each) => faultOf(each, used))
    .filter((fault) => fault !== null);
  if (faults.length === 0) return checkMemory(outline);
  const more = faults.length > namedMost ? `, and ${faults.length - namedMost} more` : '';
  const named = faults.slice(0, namedMost).join(', ');
  throw invalid(`the module imports what is not offered: ${named}${more}`);
}

function faultOf(wanted: ModuleImport, used: WasmInterface): string | null {
  if (wanted.kind === 'memory') return null;
  const { module, name, signature } = wanted;
  const found = findImport(wanted, used);
  if (found === null) {
    const isState = used === 'steps' && module === 'muster' && Object.hasOwn(stateFunctions, name);
    return `${module}.${name}${isState ? ' (a program in steps is checkpointed as it is)' : ''}`;
  }
  if (found.signature === signature) return null;
  return `${module}.${name} of the type ${signature} (it is ${found.signature})`;
}

/** Null: nobody offers it. */
export function findImport(
  { module, name }: ModuleImport,
  used: WasmInterface,
): HostFunction<Surroundings> | null {
  const offer = offers[used];
  const table = Object.hasOwn(offer, module) ? offer[module]! : {};
  return Object.hasOwn(table, name) ? table[name]! : null;
}
