// Whose a job is: an opaque text that travels with every attempt. A worker looks at it for one thing
// only: code of two owners never runs in one process.

/** Where nobody has to say who they are, all jobs belong to the person at the coordinator's machine. */
export const localOwner = 'local';

/** Invariant: at least one. */
export const ownerCharactersMax = 200;
