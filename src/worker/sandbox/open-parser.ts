// Acorn's parser with types for the members that the sandbox overrides. Acorn documents extension by
// subclass, but its declarations leave these members out. Its version is pinned, and the tests of
// module-form.ts and dynamic-code.ts fail when one of them goes away.

import { type Node, type Options, Parser, type TokenType } from 'acorn';

export interface Scope {
  readonly flags: number;
  /** Added here: the scope that a `var` in this one belongs to, and the one that `this` belongs to. */
  varScope: Scope;
  thisScope: Scope;
}

interface Insides {
  readonly input: string;
  /** Where the tokenizer is. */
  pos: number;
  /** The token that was read last and is not consumed yet. */
  readonly type: TokenType;
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  /** Where the token before it ends. */
  readonly lastTokEnd: number;
  /** The tokenizer's guess whether a slash begins a regular expression. */
  exprAllowed: boolean;
  readonly scopeStack: readonly Scope[];
  /** Names in export clauses for which no declaration has been seen yet. */
  readonly undefinedExports: Record<string, Node>;

  parse(): Node;
  catchStackOverflow<T>(parse: () => T): T;
  raise(at: number, message: string): never;
  raiseRecoverable(at: number, message: string): never;
  unexpected(at?: number): never;
  invalidStringToken(at: number, message: string): void;

  next(): void;
  finishToken(type: TokenType, value?: unknown): void;
  skipLineComment(width: number): void;
  skipBlockComment(): void;
  readToken_slash(): void;
  readRegexp(): void;
  readCodePoint(): number;
  validateRegExpFlags(state: unknown): void;
  validateRegExpPattern(state: unknown): void;

  finishNode<T extends Node>(node: T, type: string): T;
  copyNode(node: Node): Node;
  parseExprAtom(errors?: unknown, forInit?: unknown, forNew?: boolean): Node;
  parseYield(forInit?: unknown): Node;
  parseExprImport(forNew?: boolean): Node;
  parseExprOp(left: Node, at: number, place: unknown, precedence: number, forInit: unknown): Node;
  parseSubscript(
    base: Node,
    at: number,
    place: unknown,
    noCalls: boolean,
    ...more: readonly unknown[]
  ): Node;
  parseNew(): Node;
  parseTemplateElement(where: { readonly isTagged: boolean }): Node;
  parseStatement(context: unknown, isTop?: boolean, exports?: object): Node;
  parseImport(node: Node): Node;
  parseExport(node: Node, exports: unknown): Node;
  parseExportDefaultDeclaration(): Node;
  parseExportAllDeclaration(node: Node, exports: unknown): Node;

  enterScope(flags: number): void;
  currentVarScope(): Scope;
  currentThisScope(): Scope;
  declareName(name: string, binding: number, at: number): void;
  checkLocalExport(id: Node & { readonly name: string }): void;
  checkExport(exports: object | undefined, name: string | Node, at: number): void;
}

export const OpenParser = Parser as unknown as new (options: Options, input: string) => Insides;

/** Acorn's number for a binding declared by `var`. */
export const varBinding = 1;

/** Bits of a scope's flags. `holdsVars`: program, function, static block or initializer of a field. */
export const scopeFlags = { holdsVars: 1 | 2 | 256 | 512, isArrow: 16 };
