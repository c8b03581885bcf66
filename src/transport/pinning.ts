// The part of the room that is loaded only when it is needed.

export { createNodeAsk, createPinnedAsk } from './node-ask.ts';
export { explainUntrusted } from './explain-untrusted.ts';
export { type ConnectCallback, type ConnectTarget, findNodeModules } from './node-modules.ts';
export { connectPinned, meetPin } from './pinned-connection.ts';
export { createPinnedFetch } from './pinned-fetch.ts';
