// How this browser shows the pages: kept in it alone.

import { Choice, type ChoiceProps } from '../../parts/choices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { density, type Density, hasKeys, theme, type Theme } from '../../shell/preferences.ts';

const themes: readonly { readonly value: Theme; readonly text: string }[] = [
  { value: 'system', text: 'As the device' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

const densities: readonly { readonly value: Density; readonly text: string }[] = [
  { value: 'automatic', text: 'By itself' },
  { value: 'comfortable', text: 'Wide' },
  { value: 'normal', text: 'Normal' },
  { value: 'dense', text: 'Dense' },
];

const switches = [
  { value: 'on', text: 'On' },
  { value: 'off', text: 'Off' },
] as const;

export function PagePanel() {
  return (
    <Panel title="These pages" note="in this browser alone" span={6}>
      <dl class="settings-list">
        <Setting
          label="Theme"
          options={themes}
          chosen={theme.value}
          onChoose={(value) => {
            theme.value = value;
          }}
        />
        <Setting
          label="Rows"
          options={densities}
          chosen={density.value}
          onChoose={(value) => {
            density.value = value;
          }}
        />
        <Setting
          label="Keys"
          options={switches}
          chosen={hasKeys.value ? 'on' : 'off'}
          onChoose={(value) => {
            hasKeys.value = value === 'on';
          }}
        />
      </dl>
    </Panel>
  );
}

function Setting<Value extends string>(props: ChoiceProps<Value>) {
  return (
    <>
      <dt>{props.label}</dt>
      <dd>
        <Choice {...props} />
      </dd>
    </>
  );
}
