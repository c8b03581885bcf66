/** The disk refused: that costs a request, or an attempt. Any other error of the coordinator is a bug. */
export function isDiskFault(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'StoreFault' || name === 'PayloadFault';
}
