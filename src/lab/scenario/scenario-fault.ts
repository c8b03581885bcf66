/** The scenario cannot be read, is not one, or cannot be played: the message says why, for people. */
export class ScenarioFault extends Error {
  override readonly name = 'ScenarioFault';
}
