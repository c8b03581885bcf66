/** True for a fault of the disk, or where somebody was asked too late: a request or an attempt. Any other error is a bug. */
export function isDiskFault(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'StoreFault' || name === 'PayloadFault' || name === 'CoordinatorStopped';
}
