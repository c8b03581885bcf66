// The keys, in a dialog.

import { signal } from '@preact/signals';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { type KeyHint, pageKeys } from './keys.ts';
import { hasKeys } from './preferences.ts';
import { connectItem, mainNavigation, settingsItem, submitItem } from './navigation.ts';

const isOpen = signal(false);

export function showHelp(): void {
  isOpen.value = true;
}

const everywhere: readonly KeyHint[] = [
  { keys: '?', does: 'This list' },
  { keys: '/', does: 'Find a job or a worker' },
  { keys: 'p', does: 'Pause the page, and go on' },
  { keys: 't', does: 'The table behind a chart, and back' },
  ...[...mainNavigation, submitItem, connectItem, settingsItem].map(({ key, name }) => ({
    keys: `g ${key}`,
    does: name,
  })),
];

export function Help() {
  if (!isOpen.value) return null;
  const close = (): void => {
    isOpen.value = false;
  };
  const hints = [...everywhere, ...pageKeys.value];
  return (
    <Dialog title="Keys" onClose={close} actions={<Button onPress={close}>Close</Button>}>
      {hasKeys.value ? null : <p class="warn">They are switched off in the settings.</p>}
      <dl class="hints">
        {hints.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
