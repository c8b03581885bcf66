// Ends a list in the middle: its job was removed while it was read. What was told by then is right, but the list
// must not end as if it were whole.

export class JobRemoved extends Error {
  override readonly name = 'JobRemoved';

  constructor(jobId: string) {
    super(`The job ${jobId} was removed while it was read.`);
  }
}
