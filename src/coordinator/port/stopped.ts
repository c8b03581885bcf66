/** Thrown for what was asked too late: it has not happened. */
export class CoordinatorStopped extends Error {
  override readonly name = 'CoordinatorStopped';

  constructor() {
    super('The coordinator has stopped.');
  }
}
