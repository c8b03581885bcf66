// The driver in Python, as text: a bundle for any platform can have it, and nobody has to read a file. People change
// the files `*.py`; the test beside this file compares them with the texts, and
// `npm run test:unit -- src/worker/sandbox-python -u` writes the texts anew.

import { failuresText } from './failures-text.ts';
import { mainText } from './main-text.ts';
import { tasksText } from './tasks-text.ts';
import { valuesText } from './values-text.ts';
import { wheelsText } from './wheels-text.ts';

/** Each may import those before it. */
export const driverModules: readonly (readonly [name: string, text: string])[] = [
  ['values', valuesText],
  ['failures', failuresText],
  ['wheels', wheelsText],
  ['tasks', tasksText],
  ['main', mainText],
];
