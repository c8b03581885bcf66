// What a picture shows, said in a sentence to those who do not see it.

import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { measured, percent } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';

type Named = (id: string) => string;
type Rows = readonly RankedWorkerResource[];

/** The score as it is shown: two places, or what it counts. */
export function scoreText(algorithm: string, row: RankedWorkerResource): string {
  const { score, rank, details } = row;
  if (algorithm === 'wrr' && typeof details['share'] === 'number') return percent(details['share']);
  if (score === null) return String(rank);
  if (['least_loaded', 'priority', 'performance'].includes(algorithm)) return measured(score);
  return score.toFixed(2).replace('-', '\u2212');
}

export function findingOf(algorithm: string, rows: Rows, nameOf: Named): string {
  const [best, worst] = [rows[0], rows.at(-1)];
  if (best === undefined || worst === undefined) return 'No device is there to be ranked.';
  const [first, last] = [nameOf(best.worker_id), nameOf(worst.worker_id)];
  if (rows.length === 1) return `${first} is the only device: there is nothing to choose.`;
  const [high, low] = [scoreText(algorithm, best), scoreText(algorithm, worst)];
  if (best.score !== null && best.score === worst.score) {
    return `All ${rows.length} devices are equal: fewest tasks, then longest idle, then the id decides.`;
  }
  switch (algorithm) {
    case 'edas':
      return `${first} is furthest above the average with a score of ${high}, ${last} furthest below with ${low}.`;
    case 'aras':
      return `${first} reaches ${percent(best.score ?? 0)} of the optimum, ${last} ${percent(worst.score ?? 0)}.`;
    case 'mabac': {
      const above = rows.filter(({ score }) => (score ?? 0) > 0).length;
      return `${counted(above, 'device')} of ${rows.length} above the border: ${first} is highest with ${high}, ${last} lowest with ${low}.`;
    }
    case 'wrr':
      return `${first} has the largest share of the turns, ${high}, and ${last} the smallest, ${low}.`;
    case 'fifo':
      return `${first} comes first of ${rows.length} devices, ${last} last.`;
    case 'round_robin':
      return `The next turn is that of ${first}; the last of ${rows.length} is ${last}.`;
    case 'performance':
      return `${first} needs the shortest time for a task, ${high} ms, ${last} the longest, ${low} ms.`;
    default:
      return `${first} has the fewest tasks, ${high}, and ${last} the most, ${low}.`;
  }
}
