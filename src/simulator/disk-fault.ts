/** True for a fault of the disk, which may cost a request or an attempt. Any other error is a bug. */
export function isDiskFault(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'StoreFault' || name === 'PayloadFault';
}
