/** The trace cannot be read, or nothing can be played of it: the message says why, for people. */
export class TraceFault extends Error {
  override readonly name = 'TraceFault';
}
