// Programs: what a client submits to be run. Schemas, messages and workers take the kinds that there
// are from here; CONTRIBUTING.md says how another one is added.

export type Program = JavaScriptProgram;

export interface JavaScriptProgram {
  readonly kind: 'javascript';
  /** An ES module whose default export is the task function. */
  readonly source: string;
}

export type ProgramKind = Program['kind'];

export const programKinds = ['javascript'] as const satisfies readonly ProgramKind[];

/** Of a worker that does not name what it runs, and of the tasks of a preview. */
export const defaultProgramKind: ProgramKind = 'javascript';

/** Refused, and told apart from mistakes: they are to come. */
export const reservedProgramKinds: readonly string[] = ['wasm', 'command', 'python'];

/** For sentences: `"javascript"`. */
export const programKindsText = programKinds.map((kind) => JSON.stringify(kind)).join(' or ');
