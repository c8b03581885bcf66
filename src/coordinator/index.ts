// The room's door.

export { createCoordinator, RunningCoordinator } from './coordinator.ts';
export { CoordinatorInForce } from './coordinator-in-force.ts';
