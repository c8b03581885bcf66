// A cluster without devices or jobs: how the first device comes, and jobs to try. Loaded only where one of them is
// lacking.

import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Empty, Panel } from '../../parts/panel.tsx';
import { go } from '../../shell/address.ts';
import { attempt } from '../../shell/asking.tsx';
import { change } from '../../store/endpoint.ts';
import { isAdmin, maySubmit, session } from '../../store/session.ts';
import { grouped } from '../../text/numbers.ts';
import { type ExampleJob, exampleJobs, submissionOf } from './examples.ts';

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

export function Examples() {
  if (!maySubmit.value) return <Empty>Nobody has submitted a job yet.</Empty>;
  return (
    <div class="overview-examples">
      <p class="soft">Nobody has submitted a job yet. Try one of these:</p>
      <ul>
        {exampleJobs.map((example) => (
          <li key={example.name}>
            <div>
              <b>{example.name}</b>
              <span class="soft">{example.what}</span>
            </div>
            <Button
              isSmall
              label={`Run ${grouped(example.count)} tasks: ${example.name}`}
              onPress={() => run(example)}
            >
              {`Run ${grouped(example.count)} tasks`}
            </Button>
          </li>
        ))}
      </ul>
      <div class="row">
        <ButtonLink href="/submit">Submit your own</ButtonLink>
      </div>
    </div>
  );
}

function run(example: ExampleJob): Promise<boolean> {
  return attempt('Not submitted', async () => {
    const { id } = await change<{ readonly id: string }>(
      'POST',
      '/api/jobs',
      submissionOf(example),
    );
    go(`/jobs/${encodeURIComponent(id)}`);
  });
}
