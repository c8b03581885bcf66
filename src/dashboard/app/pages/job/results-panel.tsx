// The first results as they are, failed ones apart.

import { useState } from 'preact/hooks';
import type { TaskResult } from '../../../../protocol/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { sentenceOf } from '../../store/endpoint.ts';
import { usePart } from '../../store/resource.ts';
import { isOpen } from '../../store/job-share.ts';
import { grouped } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { resultLinesOf } from './downloads.tsx';
import { indexColumn } from './index-column.tsx';

const fewShown = 10;
const mostShown = 100;
const mostCharacters = 512 * 1024;
const mostOfOne = 160;

interface FirstResults {
  readonly results: readonly TaskResult[];
  readonly isWhole: boolean;
}

export function ResultsPanel({ head }: { readonly head: JobHead }) {
  const count = head.counts.completed + head.counts.failed;
  const first = usePart(
    `results of ${head.id} ${isOpen(head)}`,
    (signal) => firstResults(head.id, signal),
    { isOff: count === 0 },
  );
  const [areAll, setAll] = useState(false);
  const completed = first.value?.results.filter(({ status }) => status === 'completed') ?? [];
  const failed = first.value?.results.filter(({ status }) => status !== 'completed') ?? [];
  return (
    <Panel
      id="results"
      title="Results"
      isFlush
      note={
        first.value === null
          ? undefined
          : `${first.value.isWhole ? '' : 'the first '}${grouped(completed.length)} of ${grouped(head.counts.completed)}`
      }
      actions={
        isOpen(head) && count > 0 ? (
          <Button isSmall onPress={first.again}>
            Read again
          </Button>
        ) : undefined
      }
    >
      {count === 0 ? (
        <p class="empty">
          {isOpen(head) ? 'There is no result yet.' : 'No task of this job has a result.'}
        </p>
      ) : (
        <PartOfPage part={first} what="the results" sentenceOf={sentenceOf}>
          {() => (
            <>
              <Table
                label="Results"
                rows={areAll ? completed : completed.slice(0, fewShown)}
                keyOf={({ index }) => String(index)}
                columns={columnsOf(head.id)}
                empty={
                  <p class="empty">None of the first {counted(failed.length, 'task')} completed.</p>
                }
              />
              {areAll || completed.length <= fewShown ? null : (
                <p class="job-sum">
                  <Button isSmall onPress={() => setAll(true)}>
                    {`Show ${grouped(completed.length)}`}
                  </Button>
                </p>
              )}
              {failed.length === 0 ? null : (
                <details class="job-failed">
                  <summary>{counted(failed.length, 'task')} among these without a result</summary>
                  <Table
                    label="Tasks without a result"
                    rows={failed}
                    keyOf={({ index }) => String(index)}
                    columns={columnsOf(head.id)}
                  />
                </details>
              )}
            </>
          )}
        </PartOfPage>
      )}
    </Panel>
  );
}

function columnsOf(jobId: string): readonly Column<TaskResult>[] {
  return [
    indexColumn(jobId),
    {
      id: 'value',
      head: 'Value',
      card: 'wide',
      cell: (result) => <code class="job-value">{textOf(result)}</code>,
    },
  ];
}

function textOf(result: TaskResult): string {
  if (result.status !== 'completed') return `${result.error.type}: ${result.error.message}`;
  const text = JSON.stringify(result.value) ?? 'null';
  return text.length > mostOfOne ? `${text.slice(0, mostOfOne)}…` : text;
}

async function firstResults(jobId: string, signal: AbortSignal): Promise<FirstResults> {
  const results: TaskResult[] = [];
  let characters = 0;
  for await (const line of resultLinesOf(jobId, signal)) {
    if (results.length === mostShown || characters > mostCharacters) {
      return { results, isWhole: false };
    }
    characters += line.length;
    results.push(JSON.parse(line) as TaskResult);
  }
  return { results, isWhole: true };
}
