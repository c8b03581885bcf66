// Loads the sample job of `npm start`. It lies outside of the sources, and only in a checkout, so it is
// imported by its address and its type is declared here.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Program } from '../protocol/program.ts';
import type { Colors } from './text/colors.ts';
import { CommandFailure } from './command-failure.ts';
import { sampleJobUrl } from './entry-points.ts';

export interface SampleJob {
  prepareMarketRisk(): {
    readonly name: string;
    readonly program: Program;
    readonly inputs: readonly unknown[];
  };
  combineMarketRisk(values: readonly unknown[]): unknown;
  marketRiskTable(
    summary: unknown,
    options: { readonly columns: number; readonly paint: Colors },
  ): string;
  marketRiskChart(summary: unknown): string;
}

export async function loadSampleJob(): Promise<SampleJob> {
  const url = sampleJobUrl();
  if (!existsSync(fileURLToPath(url))) {
    throw new CommandFailure(
      'usage',
      '`muster start` runs the sample job of a checkout of muster.',
      ['Here, start a coordinator with `muster serve --workers 2`, then `muster submit`.'],
    );
  }
  return (await import(url.href)) as SampleJob;
}
