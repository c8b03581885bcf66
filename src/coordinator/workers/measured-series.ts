// What workers measured in the last minutes, for small charts. A ring for each worker, in memory only: a heartbeat
// writes its point, everything else is done when somebody asks.

import type { MeasuredTelemetry } from '../../core/commands.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import {
  secondsPerPoint,
  type WorkerSeries,
  type WorkerSeriesName,
  workerSeriesNames,
} from '../../protocol/worker-series.ts';
import { isoTime } from '../iso-time.ts';
import type { SeriesAsked } from '../port/reads.ts';

const pointMs = secondsPerPoint * 1000;
/** Some more than can be asked for: a value holds for a while, and the newest point is not over. */
const places = 80;
const { length: lines } = workerSeriesNames;
const lineOf: Readonly<Record<WorkerSeriesName, number>> = { cpu: 0, ram: 1, battery: 2 };

export class MeasuredSeries {
  private readonly rings = new Map<string, Ring>();
  private readonly heartbeatMs: () => number;

  constructor(heartbeatMs: () => number) {
    this.heartbeatMs = heartbeatMs;
  }

  /** Committed events, in order. */
  observe(events: readonly ToldEvent[]): void {
    for (const event of events) {
      if (event.type === 'worker_observed') {
        this.ringOf(event.worker.id).write(pointAt(event.at), event.measured);
      } else if (event.type === 'worker_registered') {
        const { workerId, measured } = event.command;
        this.ringOf(workerId).write(pointAt(event.at), measured);
      } else if (event.type === 'worker_deregistered') this.rings.delete(event.worker.id);
      else if (event.type === 'database_cleared') this.rings.clear();
    }
  }

  /** Up to the newest point that is over at `now`. */
  of(workerId: string, { names, points }: SeriesAsked, now: number): WorkerSeries {
    const end = pointAt(now);
    const ring = this.rings.get(workerId);
    const asked = names.map((name) => [name, this.line(ring, lineOf[name], end - points, end)]);
    return {
      until: isoTime(end * pointMs),
      seconds_per_point: secondsPerPoint,
      ...(Object.fromEntries(asked) as Pick<WorkerSeries, WorkerSeriesName>),
    };
  }

  private line(
    ring: Ring | undefined,
    line: number,
    from: number,
    end: number,
  ): readonly (number | null)[] {
    const values: (number | null)[] = [];
    // A value holds until the next heartbeat, which may come late.
    const holdPoints = Math.min(places / 4, Math.ceil((1.5 * this.heartbeatMs()) / pointMs));
    let held = NaN;
    let heldUntil = from;
    for (let point = from - holdPoints; point < end; point++) {
      const value = ring?.read(point, line) ?? NaN;
      if (!Number.isNaN(value)) {
        held = value;
        heldUntil = point + holdPoints;
      }
      if (point < from) continue;
      const isKnown = !Number.isNaN(held) && point <= heldUntil;
      // Single precision: what it adds behind the first digit was not measured.
      values.push(isKnown ? Math.round(held * 10) / 10 : null);
    }
    return values;
  }

  private ringOf(workerId: string): Ring {
    let ring = this.rings.get(workerId);
    if (ring === undefined) {
      ring = new Ring();
      this.rings.set(workerId, ring);
    }
    return ring;
  }
}

function pointAt(ms: number): number {
  return Math.floor(ms / pointMs);
}

/** Points are numbered from the epoch on. NaN: nothing was measured. */
class Ring {
  private readonly values = new Float32Array(places * lines).fill(NaN);
  private newest = -Infinity;

  /** Within one point the last measurement counts. */
  write(point: number, measured: MeasuredTelemetry): void {
    const { values, newest } = this;
    // The clock was set back, or nothing of before is left.
    if (point < newest || point - newest >= places) values.fill(NaN);
    else {
      for (let next = newest + 1; next <= point; next++) {
        const place = (next % places) * lines;
        values.fill(NaN, place, place + lines);
      }
    }
    this.newest = point;
    const place = (point % places) * lines;
    values[place] = measured.cpuLoadPercent ?? NaN;
    values[place + 1] = measured.ramAvailableMb ?? NaN;
    values[place + 2] = measured.batteryLevelPercent ?? NaN;
  }

  read(point: number, line: number): number {
    if (point > this.newest || point <= this.newest - places) return NaN;
    return this.values[(point % places) * lines + line]!;
  }
}
