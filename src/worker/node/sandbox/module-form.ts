// Turns an ES module into a script that the sandbox's evaluator accepts. Only `export` is taken
// away, at the place where it stands; the lines keep their numbers.
//
// Why not a real parser: the fast ones are native, and their recursive descent overflows the stack
// of the whole process on a line of 200 000 parentheses. Here the engine itself parses what comes
// out. A mistake of the scanner ends as a syntax error; it cannot open the sandbox, whose own checks
// run on the rewritten text.

import { ScriptScanner, type Token } from './script-scanner.ts';

/** The module cannot be a program; the message says why, in words for its author. */
export class ProgramInvalid extends Error {
  override readonly name = 'ProgramInvalid';
}

export interface ScriptForm {
  /** Statements that may stand in the body of a strict async function. */
  readonly body: string;
  /** The local name of the default export. */
  readonly defaultName: string;
}

const ownDefaultName = '$muster_default';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Throws `ProgramInvalid`, or a `SyntaxError` for what cannot even be scanned. */
export function toScriptForm(source: string): ScriptForm {
  return new Rewriter(source).rewrite();
}

class Rewriter {
  readonly #source: string;
  readonly #scanner: ScriptScanner;
  readonly #edits: Edit[] = [];
  #defaultName: string | null = null;

  constructor(source: string) {
    this.#source = source;
    this.#scanner = new ScriptScanner(source, (start, end) => {
      this.#disarmText(start, end);
    });
  }

  rewrite(): ScriptForm {
    let token = this.#next();
    while (token.kind !== 'end') token = this.#step(token);
    if (this.#defaultName === null) {
      throw new ProgramInvalid(
        'the module has no default export: write `export default function …`',
      );
    }
    return { body: applyEdits(this.#source, this.#edits), defaultName: this.#defaultName };
  }

  /** Handles one token and returns the first one that is not handled yet. */
  #step(token: Token): Token {
    const isFree = token.kind === 'word' && !token.isProperty;
    if (isFree && token.text === 'export' && this.#scanner.depth === 0) {
      return this.#rewriteExport(token);
    }
    const following = this.#next();
    if (token.kind === 'mark') this.#disarmMark(token);
    if (token.kind === 'word' && token.text === 'import') this.#checkImport(token, following);
    if (isFree && token.text === 'eval' && following.text === '(') {
      throw this.#invalid(
        token,
        'direct eval is not available; (0, eval)(text) is, without local variables',
      );
    }
    return following;
  }

  #rewriteExport(exportToken: Token): Token {
    const token = this.#next();
    if (token.text === 'default') return this.#rewriteDefault(exportToken);
    if (token.text === '{') return this.#removeClause(exportToken);
    if (token.text === '*')
      throw this.#invalid(token, 'exports from other modules are not possible');
    this.#cut(exportToken.start, token.start);
    return token;
  }

  #rewriteDefault(exportToken: Token): Token {
    const first = this.#next();
    let keyword = first;
    let following = this.#next();
    if (first.text === 'async' && following.text === 'function' && !following.newlineBefore) {
      keyword = following;
      following = this.#next();
    }
    const isDeclaration =
      keyword.kind === 'word' && (keyword.text === 'function' || keyword.text === 'class');
    if (!isDeclaration) {
      this.#setDefault(exportToken, ownDefaultName);
      this.#cut(exportToken.start, first.start, `const ${ownDefaultName} = `);
      return this.#stepFrom(first, following);
    }
    this.#cut(exportToken.start, first.start);
    const nameAfter = following.text === '*' ? following.end : keyword.end;
    const star = following;
    if (star.text === '*') following = this.#next();
    const isNamed = following.kind === 'word' && following.text !== 'extends';
    this.#setDefault(exportToken, isNamed ? following.text : ownDefaultName);
    // A declaration stays one, so that it is hoisted and needs no semicolon.
    if (!isNamed)
      this.#edits.push({ start: nameAfter, end: nameAfter, text: ` ${ownDefaultName}` });
    return following;
  }

  /** The checks of `#step` for a token whose successor has been read already. */
  #stepFrom(token: Token, following: Token): Token {
    if (token.kind === 'mark') this.#disarmMark(token);
    if (token.kind === 'word' && token.text === 'import') this.#checkImport(token, following);
    return following;
  }

  /** `export { a, b as default };` */
  #removeClause(exportToken: Token): Token {
    let local = '';
    let previous = '';
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end') throw this.#invalid(token, 'unterminated export clause');
      const name =
        token.kind === 'string' ? this.#source.slice(token.start + 1, token.end - 1) : token.text;
      if (previous === '' || previous === ',') local = name;
      if (previous === 'as' && name === 'default') this.#setDefault(token, local);
      previous = name;
      if (token.text === '}') {
        const following = this.#next();
        if (following.text === 'from') {
          throw this.#invalid(following, 'exports from other modules are not possible');
        }
        this.#cut(exportToken.start, token.end, ';');
        return following;
      }
    }
  }

  #setDefault(token: Token, name: string): void {
    if (this.#defaultName !== null) throw this.#invalid(token, 'there are two default exports');
    this.#defaultName = name;
  }

  #checkImport(token: Token, following: Token): void {
    if (token.isProperty) {
      // `x.import(…)` is a property, but the evaluator's own check is a pattern on the text.
      this.#edits.push({ start: token.start, end: token.start + 1, text: '\\u0069' });
    } else if (following.text === '(') {
      throw this.#invalid(token, 'import(…) is not available: bundle the program into one module');
    } else if (following.text === '.') {
      throw this.#invalid(token, 'import.meta is not available');
    } else if (following.text !== ':' && following.text !== '}' && following.text !== ',') {
      throw this.#invalid(token, 'imports are not possible: bundle the program into one module');
    }
  }

  /** `n --> 0` is an operator in a module; in a script the same may begin a comment. */
  #disarmMark(token: Token): void {
    if (token.text === '--' && this.#source[token.end] === '>') {
      this.#edits.push({ start: token.end, end: token.end, text: ' ' });
    }
  }

  /**
   * The evaluator refuses certain words wherever they stand, also in comments and strings. There a
   * character is written as its escape, which means the same (except to `String.raw` and to a regular expression's `source`).
   */
  #disarmText(start: number, end: number): void {
    dangerPattern.lastIndex = start;
    for (;;) {
      const match = dangerPattern.exec(this.#source);
      if (match === null || match.index >= end) return;
      const isArrow = match[0] === '-->';
      const at = isArrow ? match.index + 2 : match.index;
      const code = this.#source.charCodeAt(at).toString(16).padStart(4, '0');
      const from = !isArrow && isEscaped(this.#source, at) ? at - 1 : at;
      if (at < end) this.#edits.push({ start: from, end: at + 1, text: `\\u${code}` });
    }
  }

  #next(): Token {
    return this.#scanner.next();
  }

  /** Replaces a stretch of code and keeps its line breaks. */
  #cut(start: number, end: number, text = ''): void {
    const breaks = this.#source.slice(start, end).replace(/[^\n]/g, '');
    const later: Edit[] = [];
    for (let last = this.#edits.at(-1); last !== undefined && last.start >= start; ) {
      this.#edits.pop();
      // What was disarmed inside the stretch is gone with it.
      if (last.start >= end) later.push(last);
      last = this.#edits.at(-1);
    }
    this.#edits.push({ start, end, text: text + breaks }, ...later);
  }

  #invalid(token: Token, message: string): ProgramInvalid {
    const line = this.#source.slice(0, token.start).split('\n').length;
    return new ProgramInvalid(`${message} (line ${line})`);
  }
}

const dangerPattern = /\bimport(?=\s*[(/])|<!--|-->/g;

function isEscaped(source: string, at: number): boolean {
  let backslashes = 0;
  while (source[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let text = '';
  let at = 0;
  for (const edit of ordered) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
