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

/** The start of the last line of a program with a source map: names of files and places in them. */
export const mapLinkStart = '//# sourceMappingURL=data:application/json;base64,';

/** What a worker needs of a program: all but its source map, which only those use who read an error. */
export function withoutMap(source: string): string {
  const at = source.lastIndexOf(`\n${mapLinkStart}`);
  if (at < 0 || /\n[^]*\S/.test(source.slice(at + 1))) return source;
  return source.slice(0, at + 1);
}
