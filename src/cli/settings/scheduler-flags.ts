// Weights and weighting as flags of the commands that set them or preview their effect.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CriterionId, criterionIds } from '../../core/snapshot.ts';
import { oneOf } from './flag-values.ts';
import { closest } from '../../protocol/closest-name.ts';

const WEIGHT_MOST = 1_000_000;

type Weights = Readonly<Partial<Record<CriterionId, number>>>;

export interface WeightFlags {
  readonly weights?: Weights;
  readonly weighting?: 'manual' | 'entropy';
}

export function addWeightFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--weights <list>',
        'like cpu=0.4,latency=0.1; one that is left out keeps its value',
      ).argParser(weights),
    )
    .addOption(
      new Option(
        '--weighting <way>',
        'manual: as set; entropy: criteria that vary more across the workers weigh more',
      ).argParser(oneOf('a weighting', ['manual', 'entropy'])),
    );
}

/** The flags that were given. */
export function changeOf({ weights: given, weighting }: WeightFlags): WeightFlags {
  return {
    ...(given === undefined ? {} : { weights: given }),
    ...(weighting === undefined ? {} : { weighting }),
  };
}

/** Reads a list like `cpu=.4,latency=.1`; repeated flags add up. */
function weights(text: string, previous: unknown): Weights {
  const found: Partial<Record<CriterionId, number>> = { ...(previous as Weights | undefined) };
  for (const pair of text.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    const id = criterionIds.find((each) => each === name);
    if (id === undefined) throw unknownCriterion(name, pair);
    const weight = value === '' ? Number.NaN : Number(value);
    if (!(weight >= 0 && weight <= WEIGHT_MOST)) {
      throw new InvalidArgumentError(
        `"${pair}" is not a weight: one looks like ${id}=0.4, from 0 to ${WEIGHT_MOST}.`,
      );
    }
    found[id] = weight;
  }
  return found;
}

function unknownCriterion(name: string, pair: string): InvalidArgumentError {
  const nearest = closest(name, criterionIds);
  const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return new InvalidArgumentError(
    `"${pair}" names no criterion: there are ${criterionIds.join(', ')}.${advice}`,
  );
}
