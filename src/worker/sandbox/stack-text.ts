// The stack of an error as it is reported: the frames that lie in the program, a line for each, with lines
// and columns of the program as it was submitted. Frames of the sandbox and of code made at run time are
// left out, so no path of this machine is in it.

import { type CallSite, callSitesOf } from './call-sites.ts';
import type { ObjectKinds } from './object-kinds.ts';

/** The name of the program in stacks. */
export const programName = 'program';

export interface Place {
  /** From 1, as the engine counts them. */
  readonly line: number;
  readonly column: number;
}

const framesMost = 20;
const charactersMost = 4000;
const nameCharacters = 100;

/**
 * `at total (program:3:14)`, innermost first; empty when what was thrown is no error, or none of its frames
 * lies in the program. `toOriginal` says where a place of the script stands in the program.
 */
export function stackText(
  thrown: unknown,
  kinds: Pick<ObjectKinds, 'isNativeError'>,
  toOriginal: (place: Place) => Place,
): string {
  if (typeof thrown !== 'object' || thrown === null || !kinds.isNativeError(thrown)) return '';
  const lines: string[] = [];
  let characters = 0;
  for (const site of callSitesOf(thrown)) {
    const line = frameText(site, toOriginal);
    if (line === null) continue;
    characters += line.length + 1;
    if (lines.length === framesMost || characters > charactersMost) break;
    lines.push(line);
  }
  return lines.join('\n');
}

function frameText(site: CallSite, toOriginal: (place: Place) => Place): string | null {
  if (site.getScriptNameOrSourceURL() !== programName) return null;
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (line === null || column === null) return null;
  const at = toOriginal({ line, column });
  const place = `${programName}:${at.line}:${at.column}`;
  const name = nameOf(site);
  const before = `${site.isAsync() ? 'async ' : ''}${site.isConstructor() ? 'new ' : ''}`;
  return name === '' ? `at ${before}${place}` : `at ${before}${name} (${place})`;
}

/** A program may give its functions any name. Its top level is what the evaluator calls `eval`. */
function nameOf(site: CallSite): string {
  const name = site.getFunctionName() ?? '';
  return name === 'eval' ? '' : name.replaceAll(/\s+/g, ' ').slice(0, nameCharacters);
}
