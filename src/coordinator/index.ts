// The room's door.

export { createCoordinator, RunningCoordinator } from './coordinator.ts';
