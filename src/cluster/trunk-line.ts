import type { Line, LineEars } from './line.ts';
import type { LeaderPlace } from './port.ts';

export interface TrunkLineOptions extends LineEars {
  readonly place: LeaderPlace;
  readonly secret: string;
  readonly member: string;
  readonly version: string;
}

export class TrunkLine implements Line {
  readonly isOpen = false;
  readonly options: TrunkLineOptions;

  constructor(options: TrunkLineOptions) {
    this.options = options;
  }

  close(): void {}
}
