// The parser for task code: acorn, with four changes. It takes linear time for any source (the engine
// checks regular expressions and repeated names when it compiles what was read here). It never guesses
// whether a slash divides. It refuses all imports. And its errors are sentences that name a line.

import { getLineInfo, type Node, type Options, type TokenType, tokTypes } from 'acorn';
import { OpenParser, type Scope, scopeFlags, varBinding } from './open-parser.ts';

/**
 * Nested scopes, at most. At an `await` acorn walks through all open scopes, so this bounds its cost.
 * Code that people or their tools write stays below a hundred.
 */
const maxScopes = 500;
const tooDeep = 'the program is nested too deeply: divide what is written here';
const exportable = new Set(['VariableDeclaration', 'FunctionDeclaration', 'ClassDeclaration']);
const codePointPattern = /\{[\da-fA-F]+\}/y;
const shownToken = 40;

export abstract class SourceParser extends OpenParser {
  readonly #lexicalNames = new Set<string>();
  readonly #varNames = new Set<string>();
  readonly #readStatement: Node = { type: 'EmptyStatement', start: 0, end: 0 };
  /** Where the chain of operators that is being read began. */
  #chainStart = -1;
  #chainGoesOn = false;
  /** End of the keyword `yield` that was read last. */
  #yieldEnd = -1;

  constructor(options: Omit<Options, 'ecmaVersion'>, source: string) {
    super({ ...options, ecmaVersion: 'latest', checkPrivateFields: false }, source);
  }

  /** Makes the error to throw; the message ends with the line. */
  protected abstract refusal(message: string): Error;

  override raise(at: number, message: string): never {
    throw this.refusal(`${message} (line ${getLineInfo(this.input, at).line})`);
  }

  override raiseRecoverable(at: number, message: string): never {
    this.raise(at, message);
  }

  override unexpected(at: number = this.start): never {
    if (at !== this.start) this.raise(at, 'Unexpected token');
    if (this.type === tokTypes.eof) this.raise(at, 'Unexpected end of input');
    const text = this.input.slice(this.start, this.end);
    this.raise(
      at,
      `Unexpected token '${text.length > shownToken ? `${text.slice(0, shownToken)}…` : text}'`,
    );
  }

  override catchStackOverflow<T>(parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      if (error instanceof RangeError) this.raise(this.start, tooDeep);
      throw error;
    }
  }

  override enterScope(flags: number): void {
    if (this.scopeStack.length >= maxScopes) this.raise(this.start, tooDeep);
    const outer = this.scopeStack.at(-1);
    super.enterScope(flags);
    const scope = this.scopeStack.at(-1) as Scope;
    const isForVars = outer === undefined || (flags & scopeFlags.holdsVars) !== 0;
    const isForThis = outer === undefined || (isForVars && (flags & scopeFlags.isArrow) === 0);
    scope.varScope = isForVars ? scope : outer.varScope;
    scope.thisScope = isForThis ? scope : outer.thisScope;
  }

  // Acorn looks for these two from the innermost scope outwards, several times for each name.
  override currentVarScope(): Scope {
    return (this.scopeStack.at(-1) as Scope).varScope;
  }

  override currentThisScope(): Scope {
    return (this.scopeStack.at(-1) as Scope).thisScope;
  }

  /**
   * Drops the tree of a statement that was read: kept to the end, the trees of a large program would
   * take a hundred times its size. Those of declarations stay, because `export` needs them.
   */
  override parseStatement(context: unknown, isTop?: boolean, exports?: object): Node {
    const node = super.parseStatement(context, isTop, exports);
    return exportable.has(node.type) ? node : this.#readStatement;
  }

  /** Acorn copies the node of `a` in `{ a }`, for its name and its value; here they may be one node. */
  override copyNode(node: Node): Node {
    return node;
  }

  // Imports.

  override parseExprImport(): Node {
    const { start } = this;
    this.next();
    if (this.type !== tokTypes.dot)
      this.raise(start, 'import(…) is not available: bundle the program into one module');
    this.next();
    const property = String(this.value);
    if (property === 'meta') this.raise(start, 'import.meta is not available');
    this.raise(start, `import.${property} is not available: bundle the program into one module`);
  }

  override parseImport(node: Node): Node {
    this.raise(node.start, 'imports are not possible: bundle the program into one module');
  }

  // Regular expressions. A slash is read as a division first; where an operand must stand, the parser
  // comes back and reads the expression. After the keyword `yield`, which needs no operand, it is one.

  override readToken_slash(): void {
    this.exprAllowed = this.#yieldEnd === this.lastTokEnd;
    super.readToken_slash();
  }

  /** Called only where `yield` is a keyword: in `a?.yield / b` it is the name of a property. */
  override parseYield(forInit?: unknown): Node {
    this.#yieldEnd = this.end;
    return super.parseYield(forInit);
  }

  override parseExprAtom(errors?: unknown, forInit?: unknown, forNew?: boolean): Node {
    const isSlash = this.type === tokTypes.slash;
    if (isSlash || (this.type === tokTypes.assign && this.value === '/=')) {
      this.pos = this.start + 1;
      this.readRegexp();
    }
    return super.parseExprAtom(errors, forInit, forNew);
  }

  override finishToken(type: TokenType, value?: unknown): void {
    super.finishToken(type, value);
    if (type === tokTypes.regexp) this.#checkRegexp(value as RegexpValue);
  }

  #checkRegexp({ pattern, flags, value }: RegexpValue): void {
    if (value !== null) return;
    try {
      void new RegExp(pattern, flags);
    } catch (error) {
      // The engine repeats the whole expression before it says what is wrong.
      const reason = (error as Error).message.split(': ').at(-1) ?? '';
      this.raise(this.start, `Invalid regular expression: ${reason}`);
    }
  }

  // Acorn's own checks of regular expressions compare all groups of one name with each other.
  override validateRegExpFlags(): void {}
  override validateRegExpPattern(): void {}

  /** Acorn looks for the closing brace up to the end of the source. */
  override readCodePoint(): number {
    codePointPattern.lastIndex = this.pos;
    if (this.input[this.pos] === '{' && !codePointPattern.test(this.input)) {
      this.invalidStringToken(this.pos, 'Bad character escape sequence');
    }
    return super.readCodePoint();
  }

  /**
   * `a + b + c …`: acorn calls itself once more for every operator of a chain, always with the place
   * where the chain began. Here these calls return at once, and a loop goes on.
   */
  override parseExprOp(
    left: Node,
    at: number,
    place: unknown,
    precedence: number,
    forInit: unknown,
  ): Node {
    if (at === this.#chainStart) {
      this.#chainGoesOn = true;
      return left;
    }
    const outer = this.#chainStart;
    this.#chainStart = at;
    let node = left;
    do {
      this.#chainGoesOn = false;
      node = super.parseExprOp(node, at, place, precedence, forInit);
    } while (this.#chainGoesOn);
    this.#chainStart = outer;
    return node;
  }

  // Names. The engine finds those that are declared twice; only at the top level a module is stricter
  // than the function that it becomes. (Acorn looks each name up in the list of all before it.)

  override declareName(name: string, binding: number, at: number): void {
    const isVar = binding === varBinding;
    const [top] = this.scopeStack;
    if (isVar ? this.currentVarScope() !== top : this.scopeStack.length > 1) return;
    if (this.#lexicalNames.has(name) || (!isVar && this.#varNames.has(name))) {
      this.raise(at, `Identifier '${name}' has already been declared`);
    }
    (isVar ? this.#varNames : this.#lexicalNames).add(name);
    delete this.undefinedExports[name];
  }

  override checkLocalExport(id: Node & { readonly name: string }): void {
    if (this.#lexicalNames.has(id.name) || this.#varNames.has(id.name)) return;
    this.undefinedExports[id.name] = id;
  }
}

interface RegexpValue {
  readonly pattern: string;
  readonly flags: string;
  /** Null when the engine does not take it. */
  readonly value: RegExp | null;
}
