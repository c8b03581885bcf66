// How much a child may tell the agent. All children share the agent's one thread: a child that floods it
// would starve the others, the connection and the clock that ends children. Honest children stay far below:
// they gather outcomes for 5 ms, and pace what tasks print and report.

import type { FromChild, SandboxLimits } from '../sandbox/messages.ts';

const messagesPerSecond = 5_000;
/** What may wait while the agent itself is held up. */
const messagesAtOnce = 20_000;
/** Beside its largest part, a message holds what was gathered before. */
const gatheredCharacters = 1024 * 1024;
/** As many of the largest messages may come one after the other. */
const largestAtOnce = 4;
/** To check a million characters takes the agent up to 12 ms: more would leave it no time for anything else. */
const charactersPerSecond = 64 * 1024 * 1024;

export class MessageBounds {
  readonly #charactersPerMessage: number;
  #messages = messagesAtOnce;
  #characters: number;
  #filledAt: number;

  constructor(limits: Pick<SandboxLimits, 'resultLimitBytes' | 'stateLimitBytes'>, nowMs: number) {
    const { resultLimitBytes, stateLimitBytes } = limits;
    // A character of a text is at least a byte of it; a state has the state of the random numbers around it.
    this.#charactersPerMessage = Math.max(resultLimitBytes, stateLimitBytes) + gatheredCharacters;
    this.#characters = this.#charactersPerMessage * largestAtOnce;
    this.#filledAt = nowMs;
  }

  /** Null, or what is wrong with one more message of this size. */
  faultOf(message: FromChild, nowMs: number): string | null {
    const characters = charactersOf(message);
    if (characters > this.#charactersPerMessage) {
      return `it sent a message of ${characters} characters`;
    }
    const seconds = (nowMs - this.#filledAt) / 1000;
    this.#filledAt = nowMs;
    const most = this.#charactersPerMessage * largestAtOnce;
    this.#messages = Math.min(messagesAtOnce, this.#messages + seconds * messagesPerSecond) - 1;
    this.#characters =
      Math.min(most, this.#characters + seconds * charactersPerSecond) - characters;
    if (this.#messages < 0) return 'it sent more messages than any task needs';
    return this.#characters < 0 ? 'it sent more text than any task needs' : null;
  }
}

/** Fields are numbers, texts and bytes, or one list of such. */
function charactersOf(message: FromChild): number {
  let characters = 0;
  for (const field of message as readonly unknown[]) {
    if (Array.isArray(field)) {
      for (const item of field) characters += sizeOf(item);
    } else characters += sizeOf(field);
  }
  return characters;
}

/** Bytes came with all of the memory that they are a part of. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return value instanceof Uint8Array ? value.buffer.byteLength : 0;
}
