// What a worker must be or have to get a task of the job, as flags of `submit`.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JobRequirements } from '../../client/index.ts';
import { isolationNames } from '../../protocol/job-options.ts';
import { wholeNumber } from './flag-values.ts';
import { settings } from './settings.ts';

const MB_MOST = 1_000_000_000;

export interface RequirementFlags {
  readonly requireLabel?: Readonly<Record<string, string>>;
  readonly requireType?: readonly string[];
  readonly requirePlatform?: readonly string[];
  readonly requireIsolation?: NonNullable<JobRequirements['isolation']>;
  readonly minRamMb?: number;
  readonly minBatteryPercent?: number;
}

export function addRequirementFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--require-label <key=value>',
        'that the worker must have; may be repeated',
      ).argParser(settings.labels.parse),
    )
    .addOption(
      new Option('--require-type <list>', 'of the worker, like pc or pc,browser').argParser(names),
    )
    .addOption(
      new Option('--require-platform <list>', 'of the worker, like linux,darwin').argParser(names),
    )
    .addOption(
      new Option('--require-isolation <name>', 'of its sandbox: ses, or bubblewrap').argParser(
        isolation,
      ),
    )
    .addOption(
      new Option('--min-ram-mb <number>', 'that the worker must have to spare').argParser(
        wholeNumber('a number of MB', 0, MB_MOST),
      ),
    )
    .addOption(
      new Option(
        '--min-battery-percent <number>',
        'unless the worker has none, or is charging',
      ).argParser(wholeNumber('a percentage', 0, 100)),
    );
}

/** Undefined: any worker will do. */
export function requirementsOf(flags: RequirementFlags): JobRequirements | undefined {
  const given = {
    labels: flags.requireLabel,
    type: flags.requireType,
    platform: flags.requirePlatform,
    isolation: flags.requireIsolation,
    min_ram_mb: flags.minRamMb,
    min_battery_percent: flags.minBatteryPercent,
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

function isolation(text: string): string {
  if (isolationNames.some((name) => name === text)) return text;
  throw new InvalidArgumentError(`It is one of ${isolationNames.join(' and ')}, not "${text}".`);
}

/** `pc,browser`; repeated flags add up. */
function names(text: string, previous: unknown): readonly string[] {
  const found = text.split(',').map((name) => name.trim());
  if (found.includes('')) throw new InvalidArgumentError(`"${text}" has an empty name in it.`);
  return [...((previous as readonly string[] | undefined) ?? []), ...found];
}
