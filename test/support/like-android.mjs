// For `node --import`: what Node is told in Termux on a phone, on any machine. No hard links, no cores in the
// list, a host without a name, and no bundler, which has no code for Android.

import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

Object.defineProperty(process, 'platform', { value: 'android' });
os.cpus = () => [];
os.hostname = () => 'localhost';
fs.linkSync = (from, to) => {
  throw Object.assign(new Error(`EACCES: permission denied, link '${from}' -> '${to}'`), {
    code: 'EACCES',
  });
};
syncBuiltinESMExports();

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'rolldown') return next(specifier, context);
    throw Object.assign(new Error('Cannot find native binding of rolldown'), {
      code: 'MODULE_NOT_FOUND',
    });
  },
});
