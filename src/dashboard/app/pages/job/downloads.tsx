// The results as a file: JSON, lines of JSON, or a table where they are flat.

import { useState } from 'preact/hooks';
import type { TaskResult } from '../../../../protocol/resources.ts';
import { linesOf } from '../../../../client/ndjson.ts';
import { requestText } from '../../../../client/request.ts';
import { Icon, icons } from '../../look/glyphs.tsx';
import { fileNameOf, save } from '../../parts/save.ts';
import { attempt, tell } from '../../shell/asking.tsx';
import type { JobHead } from '../../store/cluster.ts';
import { endpoint, pathOfJob } from '../../store/endpoint.ts';
import { grouped } from '../../text/numbers.ts';
import { nameOf } from '../../text/words.ts';
import { columnsOf, resultHead, resultLine } from './result-table.ts';

/** Whether it is a table is told from the first of them, and found out to the end on the way. */
const sampled = 1_000;

export function Downloads({ head }: { readonly head: JobHead }) {
  const [isBusy, setBusy] = useState(false);
  // Those of another night have another name.
  const file = fileNameOf(`${nameOf(head)}-${head.created_at.slice(0, 10)}`);
  const close = (element: HTMLElement): void => element.closest('details')?.removeAttribute('open');
  const saveAs = (parts: readonly string[], ending: string, type: string): void => {
    save(parts, `${file}.${ending}`, type);
    tell({ text: `Downloaded: ${file}.${ending}.` });
  };
  const asLines = async (): Promise<void> => {
    const parts: string[] = [];
    for await (const line of resultLinesOf(head.id)) parts.push(`${line}\n`);
    saveAs(parts, 'ndjson', 'application/x-ndjson');
  };
  const asTable = async (): Promise<void> => {
    const parts = await tableOf(head.id);
    if (parts === null) {
      tell({ text: 'Not downloaded: these results are no table. Take JSON.', isFault: true });
    } else saveAs(parts, 'csv', 'text/csv');
  };
  const take = (make: () => Promise<void>) => async (element: HTMLElement) => {
    close(element);
    setBusy(true);
    await attempt('Not downloaded', make);
    setBusy(false);
  };
  return (
    <details
      class="job-downloads"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) close(currentTarget);
      }}
    >
      <summary class="button">
        {isBusy ? 'Reading…' : 'Download results'}
        <span class="mute">{grouped(head.counts.completed)}</span>
        <Icon path={icons.open} size={12} />
      </summary>
      <div class="job-menu">
        <a
          href={`${pathOfJob(head.id)}/results`}
          download={`${file}.json`}
          onClick={({ currentTarget }) => close(currentTarget)}
        >
          JSON
        </a>
        <button
          type="button"
          disabled={isBusy}
          onClick={({ currentTarget }) => void take(asLines)(currentTarget)}
        >
          NDJSON, a result on each line
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={({ currentTarget }) => void take(asTable)(currentTarget)}
        >
          CSV, where they are flat
        </button>
      </div>
    </details>
  );
}

export function resultLinesOf(jobId: string, signal?: AbortSignal): AsyncGenerator<string> {
  return linesOf(
    requestText(endpoint, `${pathOfJob(jobId)}/results`, {
      headers: { accept: 'application/x-ndjson' },
      signal,
    }),
  );
}

async function tableOf(jobId: string): Promise<readonly string[] | null> {
  const first: TaskResult[] = [];
  const parts: string[] = [];
  let columns: readonly string[] | null = null;
  const begin = (): boolean => {
    columns = columnsOf(first);
    if (columns === null) return false;
    parts.push(resultHead(columns), ...first.map((result) => resultLine(result, columns!)));
    return true;
  };
  for await (const line of resultLinesOf(jobId)) {
    const result = JSON.parse(line) as TaskResult;
    if (columns === null) {
      first.push(result);
      if (first.length === sampled && !begin()) return null;
    } else {
      const more: readonly string[] | null =
        result.status === 'completed' ? columnsOf([result]) : [];
      // A column that begins later would be lost.
      if (more === null || more.some((name) => !columns!.includes(name))) return null;
      parts.push(resultLine(result, columns));
    }
  }
  return columns === null && !begin() ? null : parts;
}
