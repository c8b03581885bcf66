// Before a test file is loaded: what Node makes of the sources that it imports is kept, and found again by the
// next file, which runs in a process of its own. Not by the environment, which what a test starts would inherit.

import { enableCompileCache } from 'node:module';
import { compileCacheDir } from './compiled-code.ts';

enableCompileCache(compileCacheDir);
