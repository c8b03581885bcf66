// Where the messages between agent and child hold texts that may be long, or bytes: inputs, states and results. A
// platform may carry those beside the message. In the message a number stands for such a text, the size of it; for bytes
// a number below zero.

import { doneWidth, type FromChild, runWidth, type ToChild } from './messages.ts';

/** Characters. A shorter text costs no less beside its message than within it. */
const longText = 2048;

/** `list[at]` is a text or bytes, or the number that stands for them. */
export interface TextPlace {
  readonly list: unknown[];
  readonly at: number;
}

/** The number that stands for so many bytes. That for a text is its size. */
export const standInForBytes = (size: number): number => -1 - size;

/** How many bytes of the pipe are meant by such a number. */
export const sizeBehind = (number: number): number => (number < 0 ? -1 - number : number);

/** A message that is the sender's own to change, and where its long texts and bytes are, in their order. */
export interface LongMessage {
  readonly message: readonly unknown[];
  readonly places: readonly TextPlace[];
}

/** A copy of the orders, as far as it is to be changed; null when no text of theirs is long, and none is bytes. */
export function longOrders(orders: readonly ToChild[]): LongMessage | null {
  const places: TextPlace[] = [];
  const message = orders.map((order): readonly unknown[] => {
    if (order[0] !== 'run' || !runTexts.some((text) => hasLong(order[2], text, runWidth)))
      return order;
    const [kind, jobId, ...[fields]] = order;
    return [kind, jobId, copied(fields, places, runTexts, runWidth)];
  });
  return places.length === 0 ? null : { message, places };
}

/** The same for what a child says. */
export function longSaying(message: FromChild): LongMessage | null {
  const places: TextPlace[] = [];
  if (message[0] === 'checkpoint') {
    if (!isLong(message[checkpointState])) return null;
    return { message: copied(message, places, [checkpointState], message.length), places };
  }
  if (message[0] !== 'done' || !hasLong(message[1], doneText, doneWidth)) return null;
  return { message: ['done', copied(message[1], places, [doneText], doneWidth)], places };
}

/** Where numbers stand for texts in orders; they come from the agent and are of their shape. */
export function sizesInOrders(orders: readonly ToChild[]): readonly TextPlace[] {
  return placesInOrders(orders, isSize);
}

/** The same in what a child says, which may be anything. */
export function sizesInSaying(message: unknown): readonly TextPlace[] {
  return placesInSaying(message, isSize);
}

/** Where orders have texts that may be long. */
export function textsInOrders(orders: readonly ToChild[]): readonly TextPlace[] {
  return placesInOrders(orders, isText);
}

/** The same in what a child says, which may be anything. */
export function textsInSaying(message: unknown): readonly TextPlace[] {
  return placesInSaying(message, isText);
}

type Test = (value: unknown) => boolean;

function placesInOrders(orders: readonly ToChild[], isOne: Test): readonly TextPlace[] {
  const places: TextPlace[] = [];
  for (const order of orders) {
    if (order[0] === 'run') addPlaces(order[2], runTexts, runWidth, isOne, places);
  }
  return places;
}

function placesInSaying(message: unknown, isOne: Test): readonly TextPlace[] {
  const places: TextPlace[] = [];
  if (!Array.isArray(message)) return places;
  const [kind, items] = message as readonly unknown[];
  if (kind === 'done' && Array.isArray(items)) {
    addPlaces(items, [doneText], doneWidth, isOne, places);
  } else if (kind === 'checkpoint') {
    addPlaces(message, [checkpointState], message.length, isOne, places);
  }
  return places;
}

/** Input and state, among the fields of a task. */
const runTexts = [4, 5];
/** Among the fields of an outcome. */
const doneText = 2;
const checkpointState = 5;

function hasLong(list: readonly unknown[], from: number, width: number): boolean {
  for (let at = from; at < list.length; at += width) if (isLong(list[at])) return true;
  return false;
}

function copied(
  list: readonly unknown[],
  places: TextPlace[],
  fields: readonly number[],
  width: number,
): unknown[] {
  const copy = [...list];
  addPlaces(copy, fields, width, isLong, places);
  return copy;
}

function addPlaces(
  list: readonly unknown[],
  fields: readonly number[],
  width: number,
  isOne: Test,
  places: TextPlace[],
): void {
  for (let from = 0; from < list.length; from += width) {
    for (const field of fields) {
      if (isOne(list[from + field])) places.push({ list: list as unknown[], at: from + field });
    }
  }
}

const isLong = (value: unknown): boolean =>
  typeof value === 'string' ? value.length >= longText : value instanceof Uint8Array;
const isSize = (value: unknown): boolean => typeof value === 'number';
const isText = (value: unknown): boolean => typeof value === 'string';
