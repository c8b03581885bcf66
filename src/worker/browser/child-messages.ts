// What the agent and the thread of a frame tell each other over their port, beside the messages that are the
// same on every platform (sandbox/messages.ts). Types only.

import type { FromChild, SandboxLimits, ToChild } from '../sandbox/messages.ts';

/** `begin` is the first, with what the thread is there for. */
export type ToThread =
  | readonly ['begin', SandboxLimits, string]
  | readonly ['tell', readonly ToChild[]];

/**
 * A bare number is the number of the attempt that begins now, told before it begins: a thread that is busy
 * says nothing more. `fault`: why the thread gives up; its last message.
 */
export type FromThread = FromChild | number | readonly ['fault', string];
