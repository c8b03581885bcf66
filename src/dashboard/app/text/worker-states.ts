// The only place where the status of a worker becomes a state that is shown, and its word.

/** One that drains and has nothing left is out of service; all else is as the interface tells it. */
export function stateOf<Status extends string>({
  status,
  active_tasks: active,
}: Readonly<{ status: Status; active_tasks: number }>): Status | 'out' {
  return status === 'draining' && active === 0 ? 'out' : status;
}

export function stateInWords(state: string): string {
  return state === 'out' ? 'out of service' : state;
}
