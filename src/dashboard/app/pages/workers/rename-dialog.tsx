// Another name for a worker.

import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { Worker } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { renameWorker } from './worker-actions.tsx';

interface RenameDialogProps {
  readonly worker: Worker;
  readonly onClose: () => void;
}

export function RenameDialog({ worker, onClose }: RenameDialogProps) {
  const [name, setName] = useState(worker.name ?? '');
  const [fault, setFault] = useState<string | null>(null);
  const isSame = name.trim() === '' || name.trim() === worker.name;
  const rename = async (): Promise<void> => {
    if (isSame) return;
    try {
      await renameWorker(worker, name.trim());
      onClose();
    } catch (error) {
      setFault(sentenceOf(error));
    }
  };
  const actions = (
    <>
      <Button onPress={onClose}>Keep the name</Button>
      <Button kind="primary" isDisabled={isSame} onPress={rename}>
        Rename
      </Button>
    </>
  );
  return (
    <Dialog title="Rename the worker" actions={actions} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void rename();
        }}
      >
        <label class="field">
          <span>Name</span>
          <input
            value={name}
            autocomplete="off"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <p class="soft">It wins over what the worker says of itself, for good.</p>
        {fault === null ? null : (
          <p class="bad" role="alert">
            {fault}
          </p>
        )}
      </form>
    </Dialog>
  );
}
