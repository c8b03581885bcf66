// What the instances of a program import: functions that are made once. To make new ones for each instance would take
// half as long again as to make the instance. Instances of one program run one at a time, so the functions ask which.

import type { ImportObject, LinearMemory } from './engine.ts';
import { importOf } from './host-calls.ts';
import { findImport, type WasmInterface } from './interfaces.ts';
import type { ModuleImport, ModuleOutline } from './module-outline.ts';
import type { Surroundings } from './surroundings.ts';

export class ProgramImports {
  readonly #functions: Record<string, Record<string, unknown>> = {};
  readonly #memory: ModuleImport | undefined;
  #host: Surroundings | null = null;

  constructor({ imports }: ModuleOutline, used: WasmInterface) {
    this.#memory = imports.find(({ kind }) => kind === 'memory');
    const hostNow = () => this.#host!;
    for (const wanted of imports) {
      const found = findImport(wanted, used);
      if (found === null) continue;
      (this.#functions[wanted.module] ??= {})[wanted.name] = importOf(hostNow, found);
    }
  }

  /** For a new instance, which runs from now on in place of the one before. */
  objectFor(host: Surroundings, memory: LinearMemory | null): ImportObject {
    this.#host = host;
    if (this.#memory === undefined) return this.#functions;
    const { module, name } = this.#memory;
    return { ...this.#functions, [module]: { ...this.#functions[module], [name]: memory } };
  }
}
