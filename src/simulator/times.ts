// Settings of the coordinator in a simulation. Leases are those of production; pauses are shortened, so
// that they end within an act.

export const times = {
  heartbeatIntervalMs: 5000,
  leaseMs: 15_000,
  graceMs: 10_000,
  quarantineAfterBlames: 3,
  quarantinePauseMs: 2000,
  maxQuarantinePauseMs: 12_000,
  refusalPauseMs: 1000,
  maxRefusalPauseMs: 8000,
  speculateAfterMs: 300,
  clockJumpMs: 12 * 3_600_000,
  expiryHoldMs: 20_000,
  notifyPauseMs: 200,
  maxNotifyPauseMs: 4000,
} as const;
