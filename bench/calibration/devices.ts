// The devices of the calibration: workers of one slot, each slowed down to a share of one core. The slowest registers
// first, so that whoever goes by the order of registration gives work to it first.

export interface Device {
  readonly name: string;
  /** Of one core; what it really gets is measured. */
  readonly share: number;
}

export const devices: readonly Device[] = [
  { name: 'snail', share: 0.11 },
  { name: 'goat', share: 0.15 },
  { name: 'horse', share: 0.18 },
  { name: 'hound', share: 0.21 },
  { name: 'hare', share: 0.25 },
];

/** Each device may compute once in it, for its share of the time. */
export const turnMs = 10;

/** By which a job can be sent to one device. */
export const deviceLabel = 'device';
