// A program as it is stored, with the value that all tasks of its job share: a text with its hash, which is their name
// everywhere. What is equal has the same text, in whatever order the fields of the program came; that of a program in
// JavaScript that shares nothing is `{"kind":…,"source":…}`.

import { hash } from 'node:crypto';
import { canonicalText, type Program } from '../protocol/program.ts';
import type { ProgramText } from '../store/rows.ts';

export interface StoredProgram {
  readonly program: Program;
  /** JSON text; undefined: its tasks share nothing. */
  readonly shared: string | undefined;
}

/** The hash is that of the text that is stored; what is different has different texts. */
export function programText({ program, shared }: StoredProgram): ProgramText {
  if (shared !== undefined) return named(withShared(canonicalText(program), shared));
  let made = texts.get(program);
  if (made === undefined) texts.set(program, (made = named(canonicalText(program))));
  return made;
}

/** Of programs that several jobs have, as long as somebody has them. */
const texts = new WeakMap<Program, ProgramText>();

function named(json: string): ProgramText {
  return { sha256: hash('sha256', json), json };
}

/** The value stays the text that was sent: as a text in the text. */
function withShared(program: string, shared: string): string {
  return `${program.slice(0, -1)},"shared_json":${JSON.stringify(shared)}}`;
}

export function storedProgram({ json }: Pick<ProgramText, 'json'>): StoredProgram {
  const { shared_json: shared, ...program } = JSON.parse(json) as Program & {
    readonly shared_json?: string;
  };
  return { program, shared };
}

/** What a person who asks for the program is shown. */
export function shownProgram(text: ProgramText): string | Program {
  const { program } = storedProgram(text);
  return program.kind === 'javascript' ? program.source : program;
}
