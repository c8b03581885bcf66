// Throughput as it goes on: read once, then moved on by the counters of each second; read again now and then, so that
// what the stream has missed comes in.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { ThroughputHistory } from '../../../../protocol/evaluation.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { listenToCounters } from '../../store/counters.ts';
import { read } from '../../store/endpoint.ts';
import { pausedAtMs } from '../../store/freshness.ts';
import { type Part, usePart } from '../../store/resource.ts';
import { fromHistory, type Throughput, withCounters } from './throughput.ts';

const againMs = 60_000;

interface Wanted {
  readonly windowMs: number;
  readonly bucketSeconds: number;
  readonly isOff?: boolean;
}

export function useThroughput({
  windowMs,
  bucketSeconds,
  isOff = false,
}: Wanted): Part<Throughput> {
  const part = usePart(
    `throughput ${windowMs} ${bucketSeconds}`,
    (signal) =>
      read<ThroughputHistory>(
        '/api/evaluation/throughput-history',
        {
          since: new Date(coordinatorTime() - windowMs).toISOString(),
          bucket_seconds: bucketSeconds,
        },
        signal,
      ),
    { everyMs: againMs, isOff },
  );
  const newest = useRef<Throughput | null>(null);
  const [shown, setShown] = useState<Throughput | null>(null);
  useEffect(() => {
    newest.current = part.value === null ? null : fromHistory(part.value);
    if (pausedAtMs.value === null) setShown(newest.current);
  }, [part.value]);
  useEffect(
    () =>
      listenToCounters((told) => {
        if (newest.current === null) return;
        newest.current = withCounters(newest.current, told);
        if (!document.hidden && pausedAtMs.value === null) setShown(newest.current);
      }),
    [],
  );
  return { ...part, value: shown };
}
