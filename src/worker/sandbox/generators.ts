// What the engine does with generators, taken before task code runs: it could otherwise make the driver call
// something else.

const generatorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf((function* () {})()),
) as Generator;
const asyncGeneratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf((async function* () {})()),
) as object;
const { isPrototypeOf } = Object.prototype;

/** Both are called with the generator object as their `this`. */
export const { next: generatorNext, return: generatorReturn } = generatorPrototype;

/** Throws for an async generator, which the driver would have to await at every yield. */
export function refuseAsync(value: object): void {
  if (!isPrototypeOf.call(asyncGeneratorPrototype, value)) return;
  const instead = 'use an async function with task.checkpoint(), or a plain generator';
  throw new TypeError(`an async generator cannot be a task: ${instead}`);
}
