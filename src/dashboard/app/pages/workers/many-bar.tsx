// What can be done with those that are selected.

import { Button } from '../../parts/button.tsx';
import type { Worker } from '../../store/cluster.ts';
import { grouped } from '../../text/numbers.ts';
import { askToRemove, drainWorkers, resumeWorkers } from './worker-actions.tsx';

interface ManyBarProps {
  readonly workers: readonly Worker[];
  readonly onClear: () => void;
}

export function ManyBar({ workers, onClear }: ManyBarProps) {
  const count = grouped(workers.length);
  const held = workers.filter(
    ({ draining, status }) => draining !== null || status === 'quarantined',
  );
  const free = workers.filter(({ draining }) => draining === null);
  return (
    <div class="workers-many" role="region" aria-label="Selected workers">
      <b>{`${count} selected`}</b>
      {free.length === 0 ? null : (
        <Button
          isSmall
          onPress={() => drainWorkers(free)}
        >{`Drain ${grouped(free.length)}`}</Button>
      )}
      {held.length === 0 ? null : (
        <Button
          isSmall
          onPress={() => resumeWorkers(held)}
        >{`Give ${grouped(held.length)} work again`}</Button>
      )}
      <Button
        isSmall
        kind="danger"
        onPress={() => askToRemove(workers, onClear)}
      >{`Remove ${count}…`}</Button>
      <Button isSmall kind="bare" onPress={onClear}>
        Select none
      </Button>
    </div>
  );
}
