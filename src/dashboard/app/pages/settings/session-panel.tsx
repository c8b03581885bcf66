// Who looks, and what that allows.

import { Button } from '../../parts/button.tsx';
import { Bones, Panel } from '../../parts/panel.tsx';
import { attempt } from '../../shell/asking.tsx';
import { leaveAllTabs } from '../../shell/other-tabs.ts';
import { change } from '../../store/endpoint.ts';
import { session, type Session } from '../../store/session.ts';
import { none } from '../../text/numbers.ts';

const allows: Readonly<Record<Session['kind'], string>> = {
  admin: 'everything',
  client: 'to submit jobs, and to see and end those of its owner',
  viewer: 'to look on; inputs and results are not shown',
  join: 'to let devices join',
  worker: 'to work',
};

export function SessionPanel() {
  const who = session.value;
  if (who === null) {
    return (
      <Panel title="You" span={6}>
        <Bones lines={3} />
      </Panel>
    );
  }
  const logOut = (): Promise<boolean> =>
    attempt('Not logged out', async () => {
      await change('DELETE', '/api/session');
      leaveAllTabs();
    });
  return (
    <Panel
      title="You"
      span={6}
      actions={
        who.needs_token ? (
          <Button isSmall onPress={logOut}>
            Log out
          </Button>
        ) : undefined
      }
    >
      <dl class="settings-list">
        <dt>Token</dt>
        <dd>{who.needs_token ? who.kind : 'none is asked for'}</dd>
        <dt>Owner</dt>
        <dd>{who.owner ?? none}</dd>
        <dt>Label</dt>
        <dd>{who.label ?? none}</dd>
        <dt>Allows</dt>
        <dd>{allows[who.kind]}</dd>
      </dl>
      {who.open ? (
        <p class="bad settings-note">
          Everybody who can reach this machine may do everything: the coordinator was started with
          --open.
        </p>
      ) : null}
    </Panel>
  );
}
