// Runs once before the tests that start real workers.

export { buildCode as setup } from './warm-machine.ts';
