// The door of the room: how clients and workers reach a coordinator whose certificate they know by its pin.

export { explainUntrusted } from './explain-untrusted.ts';
export { type ConnectCallback, type ConnectTarget, findNodeModules } from './node-modules.ts';
export { type PinnedAddress, pinnedAddress, withPin } from './pin.ts';
export { connectPinned, meetPin } from './pinned-connection.ts';
export { createPinnedFetch, type PinnedFetch } from './pinned-fetch.ts';
