// What can be done with one worker, the likeliest first. Who may not do it does not see it.

import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import type { Worker } from '../../store/cluster.ts';
import { isAdmin } from '../../store/session.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { askToRefuse, askToRemove, drainWorkers, letIn, resumeWorkers } from './worker-actions.tsx';

interface WorkerButtonsProps {
  readonly worker: Worker;
  readonly isSmall?: boolean;
  readonly onRemoved?: () => void;
}

export function WorkerButtons({ worker, isSmall = false, onRemoved }: WorkerButtonsProps) {
  const [isRenaming, setRenaming] = useState(false);
  if (!isAdmin.value) return null;
  if (worker.status === 'waiting' || worker.waits_until !== undefined) {
    return (
      <div class="row">
        <Button kind="primary" isSmall={isSmall} onPress={() => letIn(worker)}>
          Let in
        </Button>
        <Button isSmall={isSmall} onPress={() => askToRefuse(worker)}>
          Refuse…
        </Button>
      </div>
    );
  }
  const isQuarantined = worker.status === 'quarantined';
  const isDraining = worker.draining !== null;
  return (
    <div class="row">
      {isDraining ? (
        <Button isSmall={isSmall} onPress={() => resumeWorkers([worker])}>
          Give it work again
        </Button>
      ) : (
        <Button
          kind={isQuarantined ? 'primary' : 'plain'}
          isSmall={isSmall}
          title="It takes nothing new, and ends what it has"
          onPress={() => drainWorkers([worker])}
        >
          Drain
        </Button>
      )}
      {isQuarantined ? (
        <Button
          isSmall={isSmall}
          title="It gets work as before, without a try first"
          onPress={() => resumeWorkers([worker])}
        >
          Trust it again
        </Button>
      ) : null}
      <Button isSmall={isSmall} onPress={() => setRenaming(true)}>
        Rename…
      </Button>
      <Button kind="danger" isSmall={isSmall} onPress={() => askToRemove([worker], onRemoved)}>
        Remove…
      </Button>
      {isRenaming ? <RenameDialog worker={worker} onClose={() => setRenaming(false)} /> : null}
    </div>
  );
}
