// Who may do what here, what bounds it, and how these pages look.

import type { QuotaUse } from '../../../../client/quotas.ts';
import type { TokenResource } from '../../../../protocol/tokens.ts';
import { read } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isAdmin, session } from '../../store/session.ts';
import { grouped } from '../../text/numbers.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';
import { AuditPanel } from './audit-panel.tsx';
import { LimitsPanel } from './limits-panel.tsx';
import { PagePanel } from './page-panel.tsx';
import { QuotaPanel } from './quota-panel.tsx';
import { SessionPanel } from './session-panel.tsx';
import { ClearPanel, RetentionPanel } from './store-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';

const readAgainMs = 5_000;

export function Page() {
  const isOperator = isAdmin.value;
  const quota = usePart('quota', (signal) => read<QuotaUse>('/api/quota', {}, signal), {
    everyMs: readAgainMs,
  });
  const tokens = usePart(
    'tokens',
    (signal) => read<readonly TokenResource[]>('/api/tokens', {}, signal),
    { isOff: !isOperator },
  );
  return (
    <>
      <Sentence tokens={tokens.value} quota={quota.value} />
      <div class="grid">
        <PagePanel />
        <SessionPanel />
        {isOperator ? <TokensPanel part={tokens} /> : null}
        <QuotaPanel part={quota} />
        <LimitsPanel />
        <RetentionPanel />
        {isOperator ? <AuditPanel /> : null}
        {isOperator ? <ClearPanel /> : null}
      </div>
    </>
  );
}

interface SentenceProps {
  readonly tokens: readonly TokenResource[] | null;
  readonly quota: QuotaUse | null;
}

function Sentence({ tokens, quota }: SentenceProps) {
  const who = session.value;
  return (
    <h1 class="lede">
      {who === null ? 'Who you are is being asked.' : <Who tokens={tokens} />}{' '}
      {quota === null || who?.needs_token !== true ? null : <OpenJobs quota={quota} />}
    </h1>
  );
}

function Who({ tokens }: { readonly tokens: readonly TokenResource[] | null }) {
  const { kind, owner, open, needs_token: isNeeded } = session.value!;
  if (open) return <span class="warn">Nobody is asked for a token, from wherever it comes.</span>;
  if (!isNeeded) return <>Nobody is asked for a token: this machine alone is served.</>;
  const good = tokens?.filter(({ status }) => status === 'good').length;
  return (
    <>
      You are <b>{owner}</b>, with a token of the kind <b>{kind}</b>.{' '}
      {good === undefined ? null : `${capitalized(inWords(good, 'token is', 'tokens are'))} good.`}
    </>
  );
}

function OpenJobs({ quota: { quotas } }: { readonly quota: QuotaUse }) {
  const jobs = quotas.find(({ name }) => name === 'open_jobs');
  if (jobs === undefined || jobs.used === null) return null;
  if (jobs.bound === null) return <>{`${counted(jobs.used, 'job is', 'jobs are')} open.`}</>;
  return <>{`${grouped(jobs.used)} of ${counted(jobs.bound, 'job is', 'jobs are')} open.`}</>;
}
