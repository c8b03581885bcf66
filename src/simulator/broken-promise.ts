/** Something happened that must not; the message is a sentence, then what is known of it. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}
