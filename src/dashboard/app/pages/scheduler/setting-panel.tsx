// What is tried: an algorithm and weights, and the way to apply it or to leave it.

import type { CriterionDescription } from '../../../../protocol/explanations.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choices.tsx';
import { CopyButton } from '../../parts/copy-line.tsx';
import { isAdmin } from '../../store/session.ts';
import { differenceOf, isSame, type Setting } from './draft.ts';
import { algorithmIds, methodOf } from './methods.ts';
import { WeightBars, WeightSliders } from './weights.tsx';

interface SettingPanelProps {
  readonly draft: Setting;
  readonly inForce: Setting;
  readonly criteria: readonly CriterionDescription[];
  /** As the preview says they are; null before it came. */
  readonly effective: Readonly<Record<string, number>> | null;
  /** Criteria that decide nothing, and why. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Jobs are open: applying asks first. */
  readonly asksFirst: boolean;
  readonly onChange: (draft: Setting) => void;
  readonly onHold: (isHeld: boolean) => void;
  readonly onApply: () => void | Promise<unknown>;
}

export function SettingPanel(props: SettingPanelProps) {
  const { draft, inForce, criteria, effective, leftOut, onChange, onHold } = props;
  const { isWeighted } = methodOf(draft.algorithm);
  return (
    <section class="panel scheduler-setting" aria-label="What to try">
      <div class="scheduler-part">
        <h2 id="scheduler-algorithm">Algorithm</h2>
        <div class="scheduler-algorithms" role="group" aria-labelledby="scheduler-algorithm">
          {algorithmIds.map((id) => (
            <button
              key={id}
              type="button"
              aria-pressed={id === draft.algorithm}
              onClick={() => onChange({ ...draft, algorithm: id })}
            >
              <span class="cut">
                {id}
                {id === inForce.algorithm ? <i title="in force" /> : null}
                {id === inForce.algorithm ? <span class="unseen"> in force</span> : null}
              </span>
              <small>{methodOf(id).hint}</small>
            </button>
          ))}
        </div>
      </div>
      <div class="scheduler-part">
        <div class="row">
          <h2>Weights</h2>
          <span class="scheduler-weighting">
            <Choice
              label="How weights are made"
              options={[
                { value: 'manual', text: 'by hand' },
                { value: 'entropy', text: 'by entropy' },
              ]}
              chosen={draft.weighting}
              onChoose={(weighting) => onChange({ ...draft, weighting })}
            />
          </span>
        </div>
        {isWeighted ? null : (
          <p class="mute">{`${draft.algorithm} weighs no criteria: these count for wrr, edas, aras and mabac.`}</p>
        )}
        {draft.weighting === 'entropy' ? (
          <>
            <p class="mute">What differs more between the devices weighs more.</p>
            <WeightBars criteria={criteria} weights={effective} leftOut={leftOut} />
          </>
        ) : (
          <WeightSliders
            criteria={criteria}
            draft={draft}
            inForce={inForce}
            leftOut={leftOut}
            onChange={onChange}
            onHold={onHold}
          />
        )}
      </div>
      <DraftBar {...props} />
    </section>
  );
}

function DraftBar({ draft, inForce, asksFirst, onChange, onApply }: SettingPanelProps) {
  const isKept = isSame(draft, inForce);
  return (
    <div class={isKept ? 'scheduler-apply' : 'scheduler-apply drafted'}>
      <span class="soft" role="status">
        {isKept ? 'This is in force.' : `Not applied yet: ${differenceOf(draft, inForce)}.`}
        {draft.algorithm === inForce.algorithm
          ? ''
          : ` ${draft.algorithm} ${methodOf(draft.algorithm).does}.`}
        {!isKept && !isAdmin.value
          ? ' Who operates the cluster can apply it: send the address.'
          : ''}
      </span>
      {isKept ? null : (
        <span class="row">
          <Button kind="bare" isSmall label="Undo the draft" onPress={() => onChange(inForce)}>
            Undo
          </Button>
          {isAdmin.value ? (
            <Button kind="primary" isSmall onPress={onApply}>
              {asksFirst ? 'Apply\u2026' : 'Apply'}
            </Button>
          ) : (
            <CopyButton text={location.href} label="the address of this draft" />
          )}
        </span>
      )}
    </div>
  );
}
