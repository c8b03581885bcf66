// The room's door.

export { createCoordinator, RunningCoordinator } from './coordinator.ts';
export type * from './port.ts';
