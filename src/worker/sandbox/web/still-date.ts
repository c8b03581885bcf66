// `Date` of a program: the moment at which the job was submitted stands for now, so that every attempt on
// every device sees the same. The text of this function is evaluated in the compartment of each job.

/** `Shared` is the class that all jobs have in common: it throws when it is asked for the time. */
export function makeStillDate(Shared: DateConstructor, nowMs: number) {
  const { apply, construct } = Reflect;

  function StillDate(...args: unknown[]): unknown {
    if (new.target === undefined) return new Shared(nowMs).toString();
    return construct(Shared, args.length === 0 ? [nowMs] : args, new.target);
  }

  // A prototype of its own: `date.constructor` leads here, and packages may add to it.
  const prototype: object = Object.create(Shared.prototype);
  const data = { writable: true, enumerable: false, configurable: true };
  for (const key of Reflect.ownKeys(Shared.prototype)) {
    const { value, get } = Object.getOwnPropertyDescriptor(Shared.prototype, key)!;
    const member: unknown = get ? apply(get, Shared.prototype, []) : value;
    Object.defineProperty(prototype, key, { value: member, ...data });
  }
  Object.defineProperty(prototype, 'constructor', { value: StillDate, ...data });
  Object.defineProperties(StillDate, {
    name: { value: 'Date', configurable: true },
    length: { value: 7, configurable: true },
    prototype: { value: prototype, writable: false },
    now: { value: () => nowMs, ...data },
    parse: { value: Shared.parse, ...data },
    UTC: { value: Shared.UTC, ...data },
  });
  return { Date: StillDate };
}
