// Parses the source of a function and checks that it can run without its surroundings. This module is
// loaded only when a function is sent, because the parser is the largest part of the SDK.

import { parse, type Position, type Token } from 'acorn';
import type { Function as FunctionNode, Node, Program } from 'estree';
import { ProgramError, type ProgramProblem } from '../errors.ts';
import { looksMinified } from './minified.ts';

/** Whatever can be called. */
export type AnyFunction = Function;

export interface FunctionSource {
  /** What it is called in messages. */
  readonly what: string;
  /** Its name in `with`; null for the function that is the task. */
  readonly key: string | null;
  /** The name that it has where it was written. */
  readonly ownName: string;
  /** In one pair of brackets. */
  readonly text: string;
  readonly program: Program;
  readonly node: FunctionNode;
  readonly isMinified: boolean;
}

/** Throws a `ProgramError` about what has no source, or is not a function that a task can be. */
export function functionSource(fn: AnyFunction, key: string | null): FunctionSource {
  const what = key === null ? named(fn) : `The function "${key}" of \`with\``;
  // A function may have a `toString` of its own that returns anything.
  const source = Function.prototype.toString.call(fn);
  const tokens: Token[] = [];
  const text = `(${source}\n)`;
  const program = parsed(text, tokens);
  if (program instanceof SyntaxError) throw unreadable(fn, source, what, program);
  const node = theFunctionIn(program, what);
  const isMinified = looksMinified(text, tokens);
  return { what, key, ownName: fn.name, text, program, node, isMinified };
}

/** What a function is called in messages. */
export function named({ name }: AnyFunction): string {
  const own = name.trim() === 'bound' ? '' : name;
  return own === '' ? 'The function' : `The function "${own}"`;
}

/** Throws a `ProgramError` with the place at which the text of a module cannot be read. */
export function moduleProgram(source: string): Program {
  const program = parsed(source);
  if (!(program instanceof SyntaxError)) return program;
  const { loc, message } = program as SyntaxError & { readonly loc?: Position };
  throw new ProgramError('The program', [
    {
      name: null,
      line: loc?.line ?? null,
      column: loc === undefined ? null : loc.column + 1,
      message: `it cannot be read: ${message.replace(/ \(\d+:\d+\)$/, '')}`,
    },
  ]);
}

/** Whether a value that is sent along can have this name. Values are made by means of `globalThis`. */
export function isName(text: string): boolean {
  if (text === 'globalThis') return false;
  const program = parsed(`const ${text} = 0;`);
  if (program instanceof SyntaxError || program.body.length !== 1) return false;
  const [statement] = program.body;
  if (statement?.type !== 'VariableDeclaration' || statement.declarations.length !== 1)
    return false;
  const [declared] = statement.declarations;
  return declared?.id.type === 'Identifier' && declared.id.name === text;
}

function parsed(source: string, tokens?: Token[]): Program | SyntaxError {
  try {
    return parse(source, {
      ...(tokens === undefined ? {} : { onToken: tokens }),
      ecmaVersion: 'latest',
      sourceType: 'module',
      ranges: true,
      locations: true,
    }) as unknown as Program;
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

function theFunctionIn(program: Program, what: string): FunctionNode {
  const [statement] = program.body;
  const node: Node | undefined =
    statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
  if (node?.type === 'ClassExpression') throw refusal(what, 'it is a class, not a function');
  if (node?.type !== 'FunctionExpression' && node?.type !== 'ArrowFunctionExpression') {
    throw refusal(what, 'it is not a function');
  }
  if (node.async === true && node.generator === true) {
    throw refusal(
      what,
      'it is an async generator: write a generator, or an async function that awaits task.checkpoint(state)',
    );
  }
  return node;
}

/** Says why the source of a function does not parse as an expression. */
function unreadable(
  { name }: AnyFunction,
  source: string,
  what: string,
  error: SyntaxError,
): ProgramError {
  if (source.endsWith('{ [native code] }')) {
    const kind = name.startsWith('bound ') ? 'a bound function' : 'a native function';
    return refusal(
      what,
      `it is ${kind}, whose source is not to be had: wrap it in one of your own`,
    );
  }
  if (!(parsed(`(class {${source}\n})`) instanceof SyntaxError)) {
    const example = '`(input, task) => …` or `function (input, task) { … }`';
    return refusal(what, `it is a method: write it as a function, ${example}`);
  }
  return refusal(what, `it cannot be read: ${error.message}`);
}

function refusal(what: string, message: string): ProgramError {
  const problem: ProgramProblem = { name: null, line: null, column: null, message };
  return new ProgramError(what, [problem]);
}
