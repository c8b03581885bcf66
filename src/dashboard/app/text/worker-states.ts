// The only place where the status of a worker becomes a state that is shown, and its word.

interface Told<Status> {
  readonly status: Status;
  readonly active_tasks: number;
  readonly rests_because?: string | null;
}

/** One that drains and has nothing left is out of service, one that is here and rests is resting. */
export function stateOf<Status extends string>({
  status,
  active_tasks: active,
  rests_because: rest = null,
}: Told<Status>): Status | 'out' | 'resting' {
  if (status === 'draining' && active === 0) return 'out';
  return rest !== null && (status === 'online' || status === 'busy') ? 'resting' : status;
}

export function stateInWords(state: string): string {
  return state === 'out' ? 'out of service' : state;
}
