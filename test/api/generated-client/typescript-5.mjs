// Loaded before the generator, which writes its types with the JavaScript interface of TypeScript. The
// TypeScript of this repository has none any more.

import { registerHooks } from 'node:module';

registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
});
