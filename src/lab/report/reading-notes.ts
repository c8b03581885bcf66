// What the measures mean, and what a report does not say.

import type { Comparison } from '../compare/comparison.ts';
import { markup, type Markup, nothing } from './markup.ts';

export function readingNotes({ scenarios }: Comparison): Markup {
  const traces = scenarios.filter((each) => each.trace !== null).length;
  const what =
    traces === 0 ? 'Made-up' : traces < scenarios.length ? 'Made-up or recorded' : 'Recorded';
  const hasTimes = scenarios.some((each) => each.decision_times !== undefined);
  return markup`<section aria-labelledby="notes"><h2 id="notes">How to read this</h2>
<dl class="notes">
<dt>What was played</dt><dd>${what} devices and jobs in virtual time, with the coordinator, the schedulers and the machine inside of each worker that run in life. Not played: contention in the network, caches, heat, people; that one device suits some tasks better than others.</dd>
${traces > 0 ? traceNote : nothing}<dt>Pairs</dt><dd>Every contender met the same devices, the same tasks and the same absences with a seed. Differences are taken seed by seed, so what all met alike does not blur them: a difference may be clear where the intervals of the two means overlap.</dd>
<dt>Intervals</dt><dd>95 %. On each side the farther of two bounds: of Student’s t, which knows how little few seeds tell, and of the bootstrap (BCa, 10 000 resamples of the seeds), which follows long tails. Those of means hold for one contender each; those of differences for all pairs of contenders of a scenario and measure together (Bonferroni), as it is seen only afterwards which one is the best. Across measures and scenarios nothing is corrected: of many tables, a few differences are chance.</dd>
<dt>The winner’s bias</dt><dd>The contender with the best mean was chosen after looking at the means, and its own mean flatters it a little. Play other seeds (<code>--first-seed</code>) before a small lead is believed.</dd>
<dt>Effect size, seeds won</dt><dd><i>d</i> (Cohen’s, of pairs) is the mean of the differences to the best over their standard deviation: how regular a difference is, not how large. Seeds won: the share in which the contender was better than the best mean, ties by half.</dd>
<dt>Makespan</dt><dd>From the arrival of the first job to the end of the last. Where jobs come over time it says mostly when the last one came; there the turnaround of jobs decides.</dd>
<dt>Lower bound; longest first</dt><dd>No schedule is shorter than all work over all speeds, nor than the largest tasks on the fastest devices. Longest task first knows all durations and gives the longest to the place where it ends first: a yardstick and no optimum, so a run may be below it. Both are of runs in which all tasks complete, and leave out absences, other programs and the network, so even perfect scheduling may stay above them.</dd>
<dt>Waiting, turnaround</dt><dd>Of tasks: from the arrival of the job to the first begin, to the accepted result. Of jobs: from arrival to end.</dd>
<dt>Jain’s index</dt><dd>Of the tasks that each device completed: 1 when all did as many. Where devices differ they <em>should</em> do differently much: 1 is no aim in itself.</dd>
<dt>Energy</dt><dd>A model: the watts that the scenario declares × time, of devices that wait, too; those that are away cost nothing. Nothing was measured with a meter.</dd>
<dt>Work wasted</dt><dd>Work that was done and did not count, in seconds of a device of speed 1: of attempts that were lost or failed (but for what a checkpoint saved of them), or overtaken by a copy.</dd>
<dt>Contested decisions</dt><dd>Those with more than one worker to choose from. In all others every algorithm does the same.</dd>
${hasTimes ? decisionNote : nothing}</dl></section>
`;
}

const traceNote = markup`<dt>Traces</dt><dd>What a coordinator recorded while it worked: its jobs, its workers, how they came and went, what else kept them busy. How long tasks are and how fast workers is estimated from run times; devices come and go as they did, whatever is decided. The seed decides little more than jitter: intervals over seeds say how sure the figures of this one recording are, and nothing of another night.</dd>
`;

const decisionNote = markup`<dt>Decision time</dt><dd>What the algorithm itself takes for one task: to look over the cluster (once for a pass of the coordinator, so the first decision of a pass pays for it), to name a worker, to take into account that it got the task. Measured with a clock of the machine that played: it depends on the processor, on what else ran, and on how warm the program was. <i>Among</i>: so many workers there were to choose from. What reading the clock adds stands beside it and is not taken off.</dd>
`;
