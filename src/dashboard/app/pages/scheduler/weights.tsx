// How much each criterion counts: a slider and a number for each, or bars where the cluster decides by entropy.

import { useState } from 'preact/hooks';
import type { CriterionDescription } from '../../../../protocol/explanations.ts';
import { colourOf } from '../../look/criterion-colours.ts';
import { type Setting, shareOf, shareText, sliderEnd, withWeight } from './draft.ts';

interface WeightSlidersProps {
  readonly criteria: readonly CriterionDescription[];
  readonly draft: Setting;
  readonly inForce: Setting;
  readonly leftOut: ReadonlyMap<string, string>;
  readonly onChange: (draft: Setting) => void;
  readonly onHold: (isHeld: boolean) => void;
}

const steps = 50;

export function WeightSliders(props: WeightSlidersProps) {
  const { criteria, draft, inForce, leftOut, onChange, onHold } = props;
  const end = sliderEnd(draft.weights, inForce.weights);
  return (
    <div class="scheduler-weights">
      {criteria.map((criterion) => {
        const { config_key: id, name } = criterion;
        const weight = draft.weights[id] ?? 0;
        const was = inForce.weights[id] ?? 0;
        const set = (text: string): void => {
          const value = Number(text);
          if (text !== '' && Number.isFinite(value)) onChange(withWeight(draft, id, value));
        };
        return (
          <div
            key={id}
            class="scheduler-weight"
            style={{ '--c': colourOf(id), '--p': `${(100 * weight) / end}%` }}
          >
            <WeightName criterion={criterion} why={leftOut.get(id)} />
            <WeightNumber name={name} weight={weight} step={end / steps} onChange={set} />
            <output>{shareText(shareOf(draft.weights, id))}</output>
            <div class="track">
              <i class="was" style={{ '--at': was / end }} title={`in force: ${was}`} />
              <input
                type="range"
                min="0"
                max={end}
                step={end / steps}
                value={weight}
                aria-label={name}
                aria-valuetext={shareText(shareOf(draft.weights, id))}
                onInput={({ currentTarget }) => set(currentTarget.value)}
                onPointerDown={() => onHold(true)}
                onPointerUp={() => onHold(false)}
                onPointerCancel={() => onHold(false)}
              />
            </div>
          </div>
        );
      })}
    </div>
  );
}

interface WeightNumberProps {
  readonly name: string;
  readonly weight: number;
  readonly step: number;
  readonly onChange: (text: string) => void;
}

/** What is typed stays as it was typed for as long as somebody is in the field: the page is drawn again meanwhile. */
function WeightNumber({ name, weight, step, onChange }: WeightNumberProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      class="input"
      type="number"
      inputMode="decimal"
      min="0"
      step={step}
      value={typed ?? weight}
      aria-label={`Weight of ${name}`}
      onInput={({ currentTarget: { value } }) => {
        setTyped(value);
        onChange(value);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

interface WeightBarsProps {
  readonly criteria: readonly CriterionDescription[];
  readonly weights: Readonly<Record<string, number>> | null;
  readonly leftOut: ReadonlyMap<string, string>;
}

export function WeightBars({ criteria, weights, leftOut }: WeightBarsProps) {
  const largest = Math.max(0.01, ...Object.values(weights ?? {}));
  return (
    <div class="scheduler-weights">
      {criteria.map((criterion) => {
        const { config_key: id } = criterion;
        const share = weights?.[id] ?? 0;
        return (
          <div
            key={id}
            class="scheduler-weight read-only"
            style={{ '--c': colourOf(id), '--p': `${(100 * share) / largest}%` }}
          >
            <WeightName criterion={criterion} why={leftOut.get(id)} />
            <output>{weights === null ? '' : shareText(share)}</output>
            <div class="track">
              <i class="bar" />
            </div>
          </div>
        );
      })}
    </div>
  );
}

function WeightName({
  criterion: { name, kind, meaning, rule },
  why,
}: {
  readonly criterion: CriterionDescription;
  readonly why: string | undefined;
}) {
  return (
    <span class="name" title={`${meaning}: ${rule}`}>
      {why === undefined ? name : <s>{name}</s>}
      <small>{why ?? (kind === 'benefit' ? 'more is better' : 'less is better')}</small>
    </span>
  );
}
