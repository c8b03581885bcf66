// Makes a script of each module of the interpreter, with the few places replaced by which it would look for a host:
// a compartment evaluates scripts. How many places there are is known, since the files are known.

import type { DistributionFile } from './distribution.ts';

/** What stands for the places; the compartment has functions of these names. */
export const refusedImport = '$muster_import';
export const refusedEval = '$muster_eval';

export interface ModuleForm {
  readonly file: DistributionFile;
  /** An expression for what the script gives: it follows the last line. */
  readonly gives: string;
  readonly replaced: readonly (readonly [place: RegExp, by: string, count: number])[];
}

/** Neither a property nor the end of another name: `importlib.import_module(`, `pyimport(`. */
const importCall = /(?<![\w$.])import\(/g;
const evalCall = /(?<![\w$.])eval\(/g;

export const moduleOfInterpreter: ModuleForm = {
  file: 'pyodide.asm.mjs',
  gives: '_createPyodideModule',
  replaced: [
    [/import\.meta\.url/g, "'file:///x/pyodide.asm.mjs'", 3],
    [importCall, `${refusedImport}(`, 15],
    // This is what closes `emscripten_run_script`, which everything in the interpreter can call.
    [evalCall, `${refusedEval}(`, 6],
    [/(?<![\w$. ])export default _createPyodideModule;/g, '', 1],
  ],
};

export const moduleOfLoader: ModuleForm = {
  file: 'pyodide.mjs',
  gives: 'dt',
  replaced: [
    [importCall, `${refusedImport}(`, 13],
    [/(?<![\w$.])export\{dt as loadPyodide,U as version\};/g, '', 1],
  ],
};

/** A script whose value is a function of the named parameters. It returns what the module exports. */
export function scriptOf(source: string, form: ModuleForm, parameters: readonly string[]): string {
  let text = source;
  for (const [place, by, count] of form.replaced) {
    let found = 0;
    text = text.replace(place, () => {
      found++;
      return by;
    });
    if (found !== count) {
      throw new Error(`${form.file} has ${found} places of ${place.source}, and not ${count}`);
    }
  }
  return `(function(${parameters.join(',')}){'use strict';${text}\nreturn ${form.gives};\n})`;
}
