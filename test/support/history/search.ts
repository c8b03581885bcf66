// Whether one register has behaved as if each call had happened at one moment between its beginning and its end: a
// search through the orders that real time allows (J. Wing, C. Gong: Testing and Verifying Concurrent Objects, 1993),
// which looks into no configuration (calls that are placed, state behind them) twice.

import type { Call } from './history.ts';

/** A register as somebody sees it who asks one thing after the other. States are plain JSON, the same for the same. */
export interface Model<State, Operation> {
  readonly initial: State;
  /** The state behind it; undefined: it cannot have been answered so here. */
  readonly step: (state: State, operation: Operation) => State | undefined;
  /** What an operation does of which nobody knows the outcome, if it does anything; undefined: nothing can happen. */
  readonly effect: (state: State, operation: Operation) => State | undefined;
}

export type Verdict<State, Operation> =
  | { readonly isConsistent: true; readonly order: readonly Call<Operation>[] }
  | {
      readonly isConsistent: false;
      /** The longest beginning for which there is an order, and the state behind it. */
      readonly order: readonly Call<Operation>[];
      readonly state: State;
      /** One of these would have to come next, and none of them can. */
      readonly next: readonly Call<Operation>[];
    };

interface Place<State> {
  readonly state: State;
  readonly placed: bigint;
  /** Of those whose outcome is known. */
  readonly count: number;
  readonly last: number;
  readonly before: Place<State> | undefined;
}

/** `calls`: all of one register. */
export function linearize<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
): Verdict<State, Operation> {
  const inOrder = calls.toSorted((a, b) => a.called - b.called);
  const known = inOrder.filter(isKnown).length;
  const begin: Place<State> = {
    state: model.initial,
    placed: 0n,
    count: 0,
    last: -1,
    before: undefined,
  };
  const seen = new Set<string>();
  const open = [begin];
  let farthest = begin;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.count > farthest.count) farthest = place;
    if (place.count === known) return { isConsistent: true, order: orderOf(place, inOrder) };
    // The first in time is taken last, and so looked into first.
    for (const index of mayBeNext(place.placed, inOrder).reverse()) {
      const call = inOrder[index]!;
      const act = isKnown(call) ? model.step : model.effect;
      const state = act(place.state, call.operation);
      if (state === undefined) continue;
      const placed = place.placed | (1n << BigInt(index));
      const name = `${placed.toString(36)} ${JSON.stringify(state)}`;
      if (seen.has(name)) continue;
      seen.add(name);
      const count = place.count + (isKnown(call) ? 1 : 0);
      open.push({ state, placed, count, last: index, before: place });
    }
  }
  return {
    isConsistent: false,
    order: orderOf(farthest, inOrder),
    state: farthest.state,
    next: mayBeNext(farthest.placed, inOrder).map((index) => inOrder[index]!),
  };
}

/** Those that had begun before any other that is still to be placed had ended. */
function mayBeNext(placed: bigint, inOrder: readonly Call<unknown>[]): number[] {
  const found: number[] = [];
  let firstEnd = Number.POSITIVE_INFINITY;
  for (const [index, { called, returned }] of inOrder.entries()) {
    if (called > firstEnd) break;
    if ((placed >> BigInt(index)) & 1n) continue;
    found.push(index);
    firstEnd = Math.min(firstEnd, returned);
  }
  return found;
}

function orderOf<Operation>(
  end: Place<unknown>,
  inOrder: readonly Call<Operation>[],
): Call<Operation>[] {
  const order: Call<Operation>[] = [];
  for (let place: Place<unknown> | undefined = end; place !== undefined; place = place.before) {
    if (place.last !== -1) order.push(inOrder[place.last]!);
  }
  return order.reverse();
}

function isKnown({ returned }: Call<unknown>): boolean {
  return returned !== Number.POSITIVE_INFINITY;
}
