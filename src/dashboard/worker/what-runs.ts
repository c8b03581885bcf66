// "What exactly runs here?": whose tasks, since when, and what they can reach, without a word too many.

import type { TaskView } from '../../worker/browser/page-messages.ts';
import { element } from './element.ts';
import { openSheet } from './sheet.ts';
import { duration, percent } from './wording.ts';

export function openWhatRuns(asks: string, tasks: readonly TaskView[]): void {
  openSheet('What exactly runs here?', [
    element(
      'p',
      {},
      'Small programs, called tasks, that people at ',
      element('bdi', {}, asks),
      ' have written. Each gets some numbers or text, computes with them, and gives a result back.',
    ),
    element('h3', {}, 'What they cannot do'),
    element(
      'p',
      {},
      'Each runs in a closed box inside this page. From there it sees no files, no other pages, no camera and no location, and it reaches no network. When this page is closed, it is gone.',
    ),
    element('h3', {}, 'What the other side learns'),
    element(
      'p',
      {},
      'The kind of device and browser, how many tasks it takes, battery and load, and the address from which it comes. Nothing else.',
    ),
    element('h3', {}, 'Now'),
    tasks.length === 0
      ? element('p', {}, 'No task runs at this moment.')
      : element('ul', { class: 'tasks' }, ...tasks.map(taskLine)),
  ]);
}

function taskLine({ owner, jobId, ranMs, progress }: TaskView): HTMLElement {
  const far = progress === null ? '' : `, ${percent(progress)} done`;
  return element(
    'li',
    {},
    ...(owner === 'local' ? ['Job '] : [element('bdi', {}, owner), ', job ']),
    element('bdi', { class: 'id' }, jobId),
    element('small', {}, `for ${duration(ranMs)}${far}`),
  );
}
