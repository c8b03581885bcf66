// The program, and how it was submitted.

import { Fragment } from 'preact';
import { requestText } from '../../../../client/request.ts';
import { CopyButton } from '../../parts/copy-line.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { endpoint, pathOfJob, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { mayReadPayloads } from '../../store/session.ts';
import { settingsOf } from './job-settings.ts';

export function ProgramPanel({ head }: { readonly head: JobHead }) {
  const mayRead = mayReadPayloads.value;
  const program = usePart(
    `program of ${head.id}`,
    async (signal) => {
      let text = '';
      for await (const piece of requestText(endpoint, `${pathOfJob(head.id)}/program`, {
        signal,
      })) {
        text += piece;
      }
      return text;
    },
    { isOff: !mayRead },
  );
  const settings = settingsOf(head.options ?? {});
  return (
    <div class="grid" id="program">
      {mayRead ? (
        <Panel
          title="Program"
          span={8}
          actions={
            program.value === null ? undefined : (
              <CopyButton text={program.value} label="the program" />
            )
          }
        >
          <PartOfPage part={program} what="the program" sentenceOf={sentenceOf}>
            {(text) => (
              <pre class="job-program" tabIndex={0} aria-label="Program">
                {text}
              </pre>
            )}
          </PartOfPage>
        </Panel>
      ) : null}
      <Panel title="Settings" span={mayRead ? 4 : 12}>
        <dl class="job-settings">
          <dt>Submitted</dt>
          <dd>
            <Time at={head.created_at} />
          </dd>
          {head.expires_at === null ? null : (
            <>
              <dt>Removed</dt>
              <dd>
                <Time at={head.expires_at} />
              </dd>
            </>
          )}
          {settings.map(({ name, value }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      </Panel>
    </div>
  );
}
