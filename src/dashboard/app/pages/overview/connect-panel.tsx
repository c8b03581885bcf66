// A cluster without devices: how the first one comes.

import { ButtonLink } from '../../parts/button.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Panel } from '../../parts/panel.tsx';
import { isAdmin, session } from '../../store/session.ts';

export function ConnectPanel() {
  const isOpen = session.value?.needs_token === false;
  return (
    <Panel title="Connect the first device">
      <div class="stack overview-connect">
        {isOpen ? (
          <>
            <p>This machine can work for itself. In a terminal on it:</p>
            <CopyLine text={`muster worker ${location.origin}`} label="the command" />
            <div class="row">
              <ButtonLink href="/worker">Help with this browser</ButtonLink>
              <ButtonLink href="/connect" kind="primary">
                Connect another device
              </ButtonLink>
            </div>
          </>
        ) : isAdmin.value ? (
          <>
            <p>A link lets a device join: a phone with its camera, a PC with a command.</p>
            <div class="row">
              <ButtonLink href="/connect" kind="primary">
                Make a link
              </ButtonLink>
            </div>
          </>
        ) : (
          <p>Whoever runs this coordinator lets devices join.</p>
        )}
      </div>
    </Panel>
  );
}
