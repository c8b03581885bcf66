// How long jobs are kept, and the way to remove everything.

import { Button } from '../../parts/button.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { ask, tell } from '../../shell/asking.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { change, read, sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { generation } from '../../store/stream.ts';
import { counted } from '../../text/words.ts';
import { retentionSentence } from './retention.ts';

const lookedAt = 20;

export function RetentionPanel() {
  const part = usePart('retention', (signal) =>
    read<readonly JobHead[]>(
      '/api/jobs',
      { heads: true, status: 'completed,failed,cancelled', limit: lookedAt },
      signal,
    ),
  );
  return (
    <Panel title="How long jobs are kept">
      <PartOfPage part={part} what="how long jobs are kept" sentenceOf={sentenceOf}>
        {(jobs) => (
          <div class="stack">
            <p>{retentionSentence(jobs)}</p>
            <p class="soft">
              It is set where the coordinator is started (<code>serve --keep-days</code>,{' '}
              <code>--keep-jobs</code>). A job may have a time of its own: “Retain” among its
              options.
            </p>
          </div>
        )}
      </PartOfPage>
    </Panel>
  );
}

interface Cleared {
  readonly deleted: {
    readonly jobs: number;
    readonly tasks: number;
    readonly workers: number;
    readonly checkpoints: number;
  };
}

interface Stats {
  readonly total_jobs: number;
  readonly total_workers: number;
}

export function ClearPanel() {
  const askFirst = async (): Promise<void> => {
    const stats = await read<Stats>('/api/stats').catch(() => null);
    const what =
      stats === null
        ? 'All jobs with their inputs and results, and all workers'
        : `${counted(stats.total_jobs, 'job')} with inputs and results, and ${counted(stats.total_workers, 'worker')}`;
    ask({
      title: 'Clear everything?',
      body: (
        <p>
          {what} are removed for good, whatever runs at this moment. Tokens, what was done and by
          whom, and the configuration of the scheduler stay.
        </p>
      ),
      action: 'Clear everything',
      keep: 'Keep everything',
      word: 'clear',
      onAction: async () => {
        const { deleted } = await change<Cleared>('DELETE', '/api/database/clear');
        generation.value++;
        tell({
          text: `Cleared: ${counted(deleted.jobs, 'job')}, ${counted(deleted.tasks, 'task')}, ${counted(deleted.workers, 'worker')}.`,
        });
      },
    });
  };
  return (
    <Panel title="Clear" note="removes all jobs and workers">
      <div class="row settings-clear">
        <Button kind="danger" onPress={askFirst}>
          Clear everything…
        </Button>
        <span class="soft">For a cluster that begins anew. There is no way back.</span>
      </div>
    </Panel>
  );
}
