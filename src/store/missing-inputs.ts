// Inputs that were staged, and are not there when a commit is to show their job.

import { StoreFault } from './store.ts';

/** The coordinator asks before (`sealStaged`): whoever has taken them since was not the program, and the job must not be. */
export function missingInputs(): StoreFault {
  const sentence =
    'The inputs of a job that was to be committed are not in the database any more, and so the job was not. ' +
    'Something else has changed the database: look for damage, and submit the job again.';
  return new StoreFault('store_write_failed', sentence);
}
