// Where the messages between agent and child hold texts that may be long: inputs, states and results. A platform may
// carry those beside the message. In the message a number stands for such a text, the size of it.

import { doneWidth, type FromChild, runWidth, type ToChild } from './messages.ts';

/** Characters. A shorter text costs no less beside its message than within it. */
const longText = 2048;

/** `list[at]` is a text, or the number that stands for it. */
export interface TextPlace {
  readonly list: unknown[];
  readonly at: number;
}

/** A message that is the sender's own to change, and where its long texts are, in their order. */
export interface LongMessage {
  readonly message: readonly unknown[];
  readonly places: readonly TextPlace[];
}

/** A copy of the orders, as far as it is to be changed; null when no text of theirs is long. */
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
  const places: TextPlace[] = [];
  for (const order of orders) {
    if (order[0] === 'run') addPlaces(order[2], runTexts, runWidth, isSize, places);
  }
  return places;
}

/** The same in what a child says, which may be anything. */
export function sizesInSaying(message: unknown): readonly TextPlace[] {
  const places: TextPlace[] = [];
  if (!Array.isArray(message)) return places;
  const [kind, items] = message as readonly unknown[];
  if (kind === 'done' && Array.isArray(items)) {
    addPlaces(items, [doneText], doneWidth, isSize, places);
  } else if (kind === 'checkpoint') {
    addPlaces(message, [checkpointState], message.length, isSize, places);
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
  isOne: (value: unknown) => boolean,
  places: TextPlace[],
): void {
  for (let from = 0; from < list.length; from += width) {
    for (const field of fields) {
      if (isOne(list[from + field])) places.push({ list: list as unknown[], at: from + field });
    }
  }
}

const isLong = (value: unknown): boolean => typeof value === 'string' && value.length >= longText;
const isSize = (value: unknown): boolean => typeof value === 'number';
