// A scanner for JavaScript source: it tells code from comments, strings, templates and regular
// expressions, and nothing more. It is no parser: it accepts much that the engine will refuse.
// Linear, without recursion and without backtracking, because the source comes from strangers.

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'regex' | 'mark' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** The text of words and marks, empty for the rest. */
  readonly text: string;
  /** A property name after a dot, never a keyword. */
  readonly isProperty: boolean;
  readonly newlineBefore: boolean;
}

/** A stretch that is not code: a comment, a string, a piece of a template, a regular expression. */
export type OnText = (start: number, end: number) => void;

/** What an open bracket is, which decides what a slash after its closing one means. */
type Bracket = 'control' | 'paren' | 'square' | 'block' | 'object' | 'template';

const controlWords = new Set(['if', 'while', 'for', 'with']);
const operatorWords = new Set(
  'await case default delete do else extends in instanceof new of return throw typeof void yield'.split(
    ' ',
  ),
);
/** A brace after one of these opens a block, after any other operator word an object. */
const blockWords = new Set(['do', 'else']);

const spacePattern = /\s/;
const newlinePattern = /[\n\r\u2028\u2029]/;
const wordPattern = /(?:[\w$#]|[^\0-\x7F\s]|\\u\{[^}]*\}|\\u)+/uy;
const numberPattern = /[\w.]+/y;
const lineEndPattern = /[\n\r\u2028\u2029]|$/g;

export class ScriptScanner {
  /** How many brackets are open before the token that `next` returns. */
  depth = 0;
  readonly #source: string;
  readonly #onText: OnText;
  readonly #brackets: Bracket[] = [];
  #at = 0;
  #previous: Token = {
    kind: 'mark',
    start: 0,
    end: 0,
    text: ';',
    isProperty: false,
    newlineBefore: true,
  };
  #regexMayFollow = true;
  #closedBlock = false;

  constructor(source: string, onText: OnText) {
    this.#source = source;
    this.#onText = onText;
    if (source.startsWith('#!')) this.#skipLineComment(0);
  }

  next(): Token {
    const newlineBefore = this.#skipSpace();
    this.depth = this.#brackets.length;
    const start = this.#at;
    const char = this.#source[start];
    let kind: TokenKind = 'mark';
    let text = '';
    if (char === undefined) {
      if (this.#brackets.length > 0) throw new SyntaxError('Unexpected end of input');
      kind = 'end';
    } else if (char === '"' || char === "'") {
      kind = 'string';
      this.#skipString(char);
    } else if (char === '`' || (char === '}' && this.#brackets.at(-1) === 'template')) {
      kind = 'template';
      if (char === '}') this.#brackets.pop();
      this.#skipTemplate();
    } else if (char === '/' && this.#regexMayFollow) {
      kind = 'regex';
      this.#skipRegex();
    } else if (isDigit(char) || (char === '.' && isDigit(this.#source[start + 1]))) {
      kind = 'number';
      this.#skipPattern(numberPattern);
    } else if (this.#skipPattern(wordPattern)) {
      kind = 'word';
      text = this.#source.slice(start, this.#at);
    } else {
      text = this.#readMark(char);
    }
    const isProperty = this.#previous.text === '.' || this.#previous.text === '?.';
    const token = { kind, start, end: this.#at, text, isProperty, newlineBefore };
    this.#follow(token);
    this.#previous = token;
    return token;
  }

  /** Skips blanks and comments; true when a line ended among them. */
  #skipSpace(): boolean {
    const source = this.#source;
    let newline = false;
    for (;;) {
      const char = source[this.#at];
      if (char === undefined) return newline;
      if (spacePattern.test(char)) {
        newline ||= newlinePattern.test(char);
        this.#at++;
      } else if (char === '/' && source[this.#at + 1] === '/') {
        this.#skipLineComment(this.#at);
      } else if (char === '/' && source[this.#at + 1] === '*') {
        const close = source.indexOf('*/', this.#at + 2);
        if (close < 0) throw this.#error('Unterminated comment');
        newline ||= newlinePattern.test(source.slice(this.#at, close));
        this.#onText(this.#at, close + 2);
        this.#at = close + 2;
      } else {
        return newline;
      }
    }
  }

  #skipLineComment(start: number): void {
    lineEndPattern.lastIndex = start;
    const end = lineEndPattern.exec(this.#source)?.index ?? this.#source.length;
    this.#onText(start, end);
    this.#at = end;
  }

  #skipString(quote: string): void {
    const start = this.#at;
    for (let at = start + 1; at < this.#source.length; at++) {
      const char = this.#source[at];
      if (char === '\\') at += this.#source.startsWith('\r\n', at + 1) ? 2 : 1;
      else if (char === quote) return this.#closeText(start, at + 1);
      else if (char === '\n' || char === '\r') break;
    }
    throw this.#error('Unterminated string');
  }

  /** From a backtick, or from the brace that closes `${…}`, to the next `${` or the end. */
  #skipTemplate(): void {
    const start = this.#at;
    for (let at = start + 1; at < this.#source.length; at++) {
      const char = this.#source[at];
      if (char === '\\') at++;
      else if (char === '`') return this.#closeText(start, at + 1);
      else if (char === '$' && this.#source[at + 1] === '{') {
        this.#brackets.push('template');
        return this.#closeText(start, at + 2);
      }
    }
    throw this.#error('Unterminated template literal');
  }

  #skipRegex(): void {
    const start = this.#at;
    let inClass = false;
    for (let at = start + 1; at < this.#source.length; at++) {
      const char = this.#source[at] ?? '';
      if (char === '\\') at++;
      else if (newlinePattern.test(char)) break;
      else if (char === '[') inClass = true;
      else if (char === ']') inClass = false;
      else if (char === '/' && !inClass) {
        this.#closeText(start, at + 1);
        this.#skipPattern(wordPattern);
        return;
      }
    }
    throw this.#error('Unterminated regular expression');
  }

  #closeText(start: number, end: number): void {
    this.#onText(start, end);
    this.#at = end;
  }

  #skipPattern(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#source)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #readMark(char: string): string {
    const two = this.#source.slice(this.#at, this.#at + 2);
    const three = this.#source.slice(this.#at, this.#at + 3);
    const isPair = two === '++' || two === '--' || two === '=>' || two === '?.';
    const mark = three === '...' ? three : isPair ? two : char;
    this.#at += mark.length;
    if (char === '(' || char === '[' || char === '{') this.#brackets.push(this.#opened(char));
    else if (char === ')' || char === ']' || char === '}') this.#close(char);
    return mark;
  }

  #opened(char: string): Bracket {
    if (char === '[') return 'square';
    const { kind, text, isProperty } = this.#previous;
    const isKeyword = kind === 'word' && !isProperty;
    if (char === '(') return isKeyword && controlWords.has(text) ? 'control' : 'paren';
    if (isKeyword && operatorWords.has(text)) return blockWords.has(text) ? 'block' : 'object';
    if (kind !== 'mark') return 'block';
    // `case x: {` and `label: {` open blocks, `key: {` and `a ? b : {` objects; a ternary outside
    // of any bracket is taken for a label, which matters only to one who divides that object.
    const outer = this.#brackets.at(-1);
    if (text === ':') return outer === undefined || outer === 'block' ? 'block' : 'object';
    return text === ')' || text === ';' || text === '{' || text === '}' || text === '=>'
      ? 'block'
      : 'object';
  }

  #close(char: string): void {
    const bracket = this.#brackets.pop();
    const fits =
      char === ']'
        ? bracket === 'square'
        : char === ')'
          ? bracket === 'paren' || bracket === 'control'
          : bracket === 'block' || bracket === 'object';
    if (!fits) throw this.#error(`Unexpected token '${char}'`);
    this.#closedBlock = bracket === 'block' || bracket === 'control';
  }

  /** Whether a slash after this token begins a regular expression rather than divides. */
  #follow(token: Token): void {
    const { kind, text } = token;
    if (kind === 'word') {
      const isOperator = operatorWords.has(text) && text !== 'of' && !token.isProperty;
      this.#regexMayFollow = isOperator;
    } else if (kind === 'template') {
      this.#regexMayFollow = this.#source[token.end - 1] === '{';
    } else if (kind !== 'mark') {
      this.#regexMayFollow = false;
    } else if (text === ')' || text === '}') {
      this.#regexMayFollow = this.#closedBlock;
    } else {
      this.#regexMayFollow = text !== ']' && text !== '++' && text !== '--';
    }
  }

  #error(message: string): SyntaxError {
    const line = this.#source.slice(0, this.#at).split('\n').length;
    return new SyntaxError(`${message} (line ${line})`);
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}
