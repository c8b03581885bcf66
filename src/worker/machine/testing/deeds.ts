// What may happen to a machine, in any order.

import fc from 'fast-check';
import type { RestOrder } from '../machine.ts';

const index = fc.integer({ min: 0, max: 11 });
const position = fc.integer({ min: 0, max: 4 });
const slot = fc.integer({ min: 0, max: 2 });
const rest = fc.constantFrom<RestOrder | null>(
  null,
  null,
  { because: 'paused', keeps: false },
  { because: 'battery', keeps: false },
  { because: 'hidden', keeps: true, leaseSeconds: 300 },
);

export const deed = fc.oneof(
  fc.record({ do: fc.constant('assign' as const), index, count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('assign_again' as const), index, isSameToken: fc.boolean() }),
  fc.record({ do: fc.constant('finish' as const), slot, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('recall_handed' as const), slot, position }),
  fc.record({ do: fc.constant('cancel_handed' as const), slot, position }),
  fc.record({ do: fc.constant('start' as const), slot }),
  fc.record({ do: fc.constant('progress' as const), slot }),
  fc.record({ do: fc.constant('checkpoint' as const), slot }),
  fc.record({ do: fc.constant('crash' as const), slot }),
  fc.record({ do: fc.constant('recall' as const), index }),
  fc.record({ do: fc.constant('cancel' as const), index }),
  fc.record({ do: fc.constant('acknowledge' as const) }),
  fc.record({ do: fc.constant('answer_checkpoints' as const), isAccepted: fc.boolean() }),
  fc.record({ do: fc.constant('reject' as const), index }),
  fc.record({ do: fc.constant('drop' as const) }),
  fc.record({ do: fc.constant('connect' as const), isBusy: fc.boolean(), rest }),
  fc.record({ do: fc.constant('greet' as const), isBusy: fc.boolean(), rest }),
  fc.record({ do: fc.constant('rest' as const), rest }),
  fc.record({ do: fc.constant('slots' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('beat' as const) }),
  fc.record({ do: fc.constant('drain' as const), drain: fc.boolean() }),
);

export type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;
