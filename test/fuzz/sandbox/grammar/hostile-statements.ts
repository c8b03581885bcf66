// The rules for statements that look for a way out: reflection, hooks, engine errors, code in texts,
// and the functions of the host.

import type { Weighted } from '../dice.ts';
import { dynamicTexts, evaluators, parameterTexts } from './dynamic-texts.ts';
import { key } from './expressions.ts';
import { engineErrors, thorns } from './fixed-words.ts';
import { argumentsOf, type Maker, variables } from './maker.ts';
import { functionScope, type Scope } from './scope.ts';
import type { StatementRule } from './statements.ts';

export const hostileStatements: Weighted<StatementRule> = [
  [1, ({ dice }) => `${dice.pick(variables)} = ${dice.pick(thorns)};`],
  [5, ({ dice }) => `try { ${dice.pick(engineErrors)} } catch (x) { leak(x); e = x }`],
  [4, climbed],
  [4, hooked],
  [4, evaluated],
  [4, hostCalled],
  [3, abused],
  [2, enumerated],
  [1, (make, scope) => `leak(${make.expression(scope)}.constructor?.('return process')?.());`],
];

/** Everything above a value. */
function climbed(make: Maker, scope: Scope): string {
  const value = make.expression(scope);
  return make.dice.pick([
    `for (let x = ${value}, n = 0; x != null && n < 6; n++) { t(); leak(x); x = Object.getPrototypeOf(x) }`,
    `for (let x = ${value}, n = 0; x != null && n < 6; n++) { t(); leak(x); x = x.constructor }`,
    `for (let x = ${value}.constructor, n = 0; x != null && n < 4; n++) { t(); leak(x); x = Object.getPrototypeOf(x) }`,
  ]);
}

const errorHooks = [
  `prepareStackTrace = (x, y) => { t(); leak(x); leak(y); leak(y?.[0]?.getThis?.()); leak(y?.[0]?.getFunction?.()); return 'seen' }`,
  'stackTraceLimit = 50',
  'captureStackTrace = (x) => { t(); leak(x) }',
];

/** Hooks that the engine calls by itself, then something that makes it call them. */
function hooked(make: Maker, scope: Scope): string {
  const { dice } = make;
  const holder = dice.pick([
    'Error',
    'e.constructor',
    'Object.getPrototypeOf(e.constructor)',
    'Object.getPrototypeOf(Object.getPrototypeOf(e)).constructor',
    'RangeError',
    'Object.prototype',
    'Promise.prototype',
    'Array.prototype',
    'Function.prototype',
    'task',
  ]);
  return dice.weigh<() => string>([
    [
      3,
      () =>
        `try { ${holder}.${dice.pick(errorHooks)}; leak(new Error('x').stack) } catch (x) { leak(x) }`,
    ],
    [
      1,
      () =>
        `try { Error.captureStackTrace(${make.expression(scope)}, ${make.callable(scope)}); leak(a.stack) } catch (x) { leak(x) }`,
    ],
    [
      2,
      () =>
        `try { ${holder}[${key(make, scope)}] = ${make.callable(scope)} } catch (x) { leak(x) }`,
    ],
    [
      2,
      () =>
        `try { Object.setPrototypeOf(${holder}, ${make.expression(scope)}) } catch (x) { leak(x) }`,
    ],
  ])();
}

function evaluated(make: Maker): string {
  const { dice } = make;
  const evaluator = dice.pick(evaluators);
  const text = dice.pick(dynamicTexts);
  const args = dice.chance(0.15) ? `${dice.pick(parameterTexts)}, ${text}` : text;
  // An evaluator of scripts gets an expression, one of functions gets a body.
  const isScript = evaluator.includes('eval');
  const code = `${evaluator}(${args}${isScript ? ".replace('return ', '')" : ''})`;
  const ran = isScript ? 'a' : 'a?.()';
  return `try { a = ${code}; leak(a); b = ${ran}; leak(b); Promise.resolve(b?.next?.() ?? b).then(leak, leak); leak(typeof b === 'function' ? b() : b) } catch (x) { leak(x); e = x }`;
}

const hostFunctions = [
  'task.progress',
  'task.checkpoint',
  'task.random',
  'task.checkpoint_due',
  'console.log',
  'console.table',
  'console.assert',
  'clearTimeout',
  'clearInterval',
  'Math.random',
  '__name',
];

function hostCalled(make: Maker, scope: Scope): string {
  const { dice } = make;
  const args = argumentsOf(make, scope);
  return dice.weigh<() => string>([
    [5, () => `try { leak(${dice.pick(hostFunctions)}(${args})) } catch (x) { leak(x); e = x }`],
    [
      2,
      () =>
        `try { d = task.checkpoint(${args}); leak(d); d.then(leak, leak) } catch (x) { leak(x); e = x }`,
    ],
    [
      1,
      () =>
        `try { leak(setTimeout(${make.callable(scope)}, 0, ${args})) } catch (x) { leak(x); e = x }`,
    ],
    [
      1,
      () =>
        `try { leak(setInterval(${make.callable(scope)}, ${args || '1'})) } catch (x) { leak(x); e = x }`,
    ],
    [
      1,
      () =>
        `try { leak(Reflect.apply(${dice.pick(hostFunctions)}, ${make.expression(scope)}, [${args}])) } catch (x) { leak(x); e = x }`,
    ],
    [
      1,
      () => `try { leak(new ${dice.pick(hostFunctions)}(${args})) } catch (x) { leak(x); e = x }`,
    ],
    [1, () => `for (const x of Reflect.ownKeys(task)) leak(task[x]);`],
    // At the brink of the stack, where the host's own code is cut short.
    [
      1,
      () => {
        const inner = argumentsOf(make, functionScope(scope, {}));
        const call = `leak(x); leak(${dice.pick(hostFunctions)}(${inner}))`;
        return `try { let n = 0; const deep = () => { try { deep() } catch (x) { if (n++ < 9) { ${call} } } }; deep() } catch (x) { leak(x); e = x }`;
      },
    ],
  ])();
}

/** What makes native code choose another way. */
const nativeWords = ["'utf-16le'", "'latin1'", "'base64'", "'hex'", '(8), { maxByteLength: 16 }'];

/** An object of some class, its insides replaced, then every method called: does native code look? */
function abused(make: Maker, scope: Scope): string {
  const { dice, vocabulary } = make;
  const name = dice.pick(variables);
  // One of them alone, for the others may be what native code checks before it trusts that one.
  const at = dice.below(5);
  const which = dice.chance(0.5) ? `${at}, ${at + 1}` : '0, 9';
  const args = dice.chance(0.3) ? dice.pick(nativeWords) : argumentsOf(make, scope);
  return [
    `try { ${name} = new ${dice.pick(vocabulary.constructors)}(${args}) } catch (x) { leak(x) }`,
    `try { for (const k of Reflect.ownKeys(${name}).slice(${which})) try { t(); leak(k); ${name}[k] = ${dice.pick(['{}', '1', 'a', 'null'])} } catch (x) { leak(x) } } catch {}`,
    `try { for (const k of Reflect.ownKeys(Object.getPrototypeOf(${name}))) try { t(); leak(${name}[k]?.(${dice.pick(['', 'new Uint8Array([65, 0])', 'b', '1'])})) } catch (x) { leak(x) } } catch {}`,
  ].join(' ');
}

/** Every property of something, read and perhaps overwritten. */
function enumerated(make: Maker, scope: Scope): string {
  const write = make.dice.chance(0.5) ? `x[k] = ${make.expression(scope)};` : '';
  return `try { const x = ${make.expression(scope)}; for (const k of Reflect.ownKeys(x).slice(0, 12)) try { t(); leak(x[k]); ${write} } catch (y) { leak(y) } } catch (x) { leak(x) }`;
}
