// Loads the library of the hardened realm from its own file. The built code of a child contains the
// library, and replaces this module (see child-code/bundle.ts).

import { createRequire } from 'node:module';

export function loadLibrary(path: string): void {
  createRequire(import.meta.url)(path);
}
