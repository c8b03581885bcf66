// The room's door.

export { type CoordinatorOptions, createCoordinator, RunningCoordinator } from './coordinator.ts';
export type * from './port.ts';
export type { Runtime } from './runtime.ts';
