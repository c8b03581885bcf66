// The file that a comparison is written to, by its ending.

import type { Comparison } from '../compare/comparison.ts';
import { htmlReport } from './html-report.ts';
import { runsCsv } from './runs-csv.ts';

/** A file whose ending says nothing that there is. */
export class ReportFault extends Error {
  override readonly name = 'ReportFault';
}

const forms: Readonly<Record<string, (comparison: Comparison) => string>> = {
  html: htmlReport,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  csv: runsCsv,
};

export type ReportForm = (comparison: Comparison) => string;

/** Throws `ReportFault` for a file of no known form. */
export function reportForm(file: string): ReportForm {
  const form = forms[file.slice(file.lastIndexOf('.') + 1).toLowerCase()];
  if (form === undefined) {
    const endings = Object.keys(forms).map((each) => `.${each}`);
    throw new ReportFault(
      `A report ends in ${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}, not as ${file} does.`,
    );
  }
  return form;
}
