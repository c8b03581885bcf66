// A program as statements in blocks: what the grammar makes and the reducer drops from. A batch of
// programs is one module, as a job submits it.

/** A statement, or one that encloses others. Any piece can be left out and the rest still parses. */
export type Piece =
  | string
  | { readonly open: string; readonly body: readonly Piece[]; readonly close: string };

export type ProgramKind = 'function' | 'generator' | 'async function' | 'async generator';

/** What the agent asks for while the program runs. */
export type Order = 'none' | 'stop' | 'stop with a checkpoint' | 'checkpoint';

export interface FuzzProgram {
  readonly kind: ProgramKind;
  readonly order: Order;
  readonly body: readonly Piece[];
}

const heads: Readonly<Record<ProgramKind, string>> = {
  function: 'function',
  generator: 'function*',
  'async function': 'async function',
  'async generator': 'async function*',
};

/**
 * The function of a program. Every function, method and loop of it begins with `t()`, which throws
 * when the program has used up its fuel: nothing that it writes runs for ever.
 */
export function functionText({ kind, order, body }: FuzzProgram): string {
  const lines = body.flatMap((piece) => linesOf(piece, '  '));
  return [
    `${heads[kind]} (task) {${order === 'none' ? '' : ` // The agent orders: ${order}.`}`,
    ...preamble,
    ...lines,
    '}',
  ].join('\n');
}

// The variables of all statements are declared up front, so that the reducer may drop any of them.
const preamble = ['  const t = fuel();', '  let a = {}, b = [], c = () => a, d = task, e;'];

function linesOf(piece: Piece, indent: string): string[] {
  if (typeof piece === 'string') return [indent + piece];
  return [
    indent + piece.open,
    ...piece.body.flatMap((inner) => linesOf(inner, `${indent}  `)),
    indent + piece.close,
  ];
}

/**
 * The input of a task names its program. Called with a function before the first, the task
 * keeps what programs `leak` with it, and returns the global object.
 */
export function moduleText(programs: readonly FuzzProgram[]): string {
  const functions = programs.map(
    (program) => `{ kind: '${program.kind}', run: (${functionText(program)}) }`,
  );
  return `${harness}\nconst programs = [\n${functions.join(',\n')}\n];\n`;
}

/**
 * Asynchronous programs are cut off after so many turns of the queue of microtasks: a promise that
 * never settles must not stop the batch.
 */
const harness = `
let leak = () => {};
const fuel = () => {
  let left = 60;
  return () => { if (left-- <= 0) throw 'out of fuel' };
};
const Pledge = Promise;
const settled = Pledge.resolve();
const bounded = (promise) => new Pledge((resolve, reject) => {
  let turns = 50;
  const wait = () => { if (turns-- > 0) settled.then(wait); else resolve('cut off') };
  promise.then(resolve, reject);
  wait();
});
const drain = async (generator) => { for await (const value of generator) leak(value) };
const take = (collector) => {
  leak = globalThis.leak = collector;
  return globalThis;
};
export default function (input, task) {
  if (typeof input === 'function') return take(input);
  leak(this);
  if (input.program === 0) { leak(task); leak(input) }
  const { kind, run } = programs[input.program];
  if (kind === 'async function') return bounded(run.call(this, task));
  if (kind === 'async generator') return bounded(drain(run.call(this, task)));
  return run.call(this, task);
}`;
