// The library of the hardened realm, loaded from its own file. In the code that is built for children
// it lies beside everything else, and this module is another (see child-code/bundle.ts).

import { createRequire } from 'node:module';

export function loadLibrary(path: string): void {
  createRequire(import.meta.url)(path);
}
