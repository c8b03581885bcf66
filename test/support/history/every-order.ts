// What the search is compared with: every order of every choice of calls that took effect.

import type { Call } from './history.ts';
import type { Model } from './search.ts';

export function someOrder<State, Operation>(
  model: Model<State, Operation>,
  calls: readonly Call<Operation>[],
  state = model.initial,
): boolean {
  if (calls.every(({ returned }) => returned === Number.POSITIVE_INFINITY)) return true;
  return calls.some((call) => {
    const rest = calls.filter((each) => each !== call);
    if (rest.some(({ returned }) => returned < call.called)) return false;
    const act = call.returned === Number.POSITIVE_INFINITY ? model.effect : model.step;
    const after = act(state, call.operation);
    return after !== undefined && someOrder(model, rest, after);
  });
}
