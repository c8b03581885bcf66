/** There is no such contender, or it does what it may not do: the message says what, for people. */
export class ContenderFault extends Error {
  override readonly name = 'ContenderFault';
}
