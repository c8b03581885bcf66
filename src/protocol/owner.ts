// The owner of a job: an opaque text that is sent with every attempt. Workers use it for one thing only: code
// of two owners never runs in one process.

/** The owner of all jobs where clients do not authenticate: the person at the coordinator's machine. */
export const localOwner = 'local';

/** Invariant: an owner has at least one character. */
export const ownerCharactersMax = 200;
