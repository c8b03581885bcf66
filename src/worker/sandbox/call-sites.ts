// The places at which errors of task code were made. The text of `error.stack` is empty in the whole realm,
// because it would tell tasks about the host; what the engine would have made the text of is kept here,
// where no task can get at it.

/** What is used of V8's description of a frame. None of these functions runs code of a task. */
export interface CallSite {
  getFunctionName(): string | null;
  getScriptNameOrSourceURL(): string | null;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  isAsync(): boolean;
  isConstructor(): boolean;
}

/** Frames that the engine notes of an error; those of the host are among them. */
const framesNoted = 24;

const sitesOf = new WeakMap<object, readonly CallSite[]>();

/** Before the lock: takes the hook that the engine calls when somebody reads the stack of an error. */
export function watchErrors(feralError: object): void {
  Object.assign(feralError, {
    stackTraceLimit: framesNoted,
    prepareStackTrace(error: object, sites: readonly CallSite[]): string {
      sitesOf.set(error, sites);
      return '';
    },
  });
}

/** An own accessor of every error, the same function in all of them; older engines have none. */
const readStack = Object.getOwnPropertyDescriptor(new Error('a sample'), 'stack')?.get;

/** `error` must be an error of the engine, not a Proxy: then nothing of a task runs. */
export function callSitesOf(error: object): readonly CallSite[] {
  // Where there is no accessor, the engine makes the text when its property is looked at.
  if (readStack === undefined) void Object.getOwnPropertyDescriptor(error, 'stack');
  else readStack.call(error);
  return sitesOf.get(error) ?? [];
}
