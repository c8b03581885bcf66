// Programs, which clients submit to be run. Schemas, messages and workers take the list of kinds from here;
// CONTRIBUTING.md says how another one is added.

export type Program = JavaScriptProgram;

export interface JavaScriptProgram {
  readonly kind: 'javascript';
  /** An ES module whose default export is the task function. */
  readonly source: string;
}

export type ProgramKind = Program['kind'];

export const programKinds = ['javascript'] as const satisfies readonly ProgramKind[];

/** The kind of a worker that does not name its kinds, and of the tasks of a preview. */
export const defaultProgramKind: ProgramKind = 'javascript';

/** Planned kinds: refused with another sentence than unknown ones. */
export const reservedProgramKinds: readonly string[] = ['wasm', 'command', 'python'];

/** The kinds for a sentence: `"javascript"`. */
export const programKindsText = programKinds.map((kind) => JSON.stringify(kind)).join(' or ');
