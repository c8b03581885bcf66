// One of a few: a row of buttons of which one is pressed, and chips that filter.

import type { ComponentChildren } from 'preact';

export interface ChoiceProps<Value extends string> {
  /** What is chosen, for those who do not see it. */
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly text: ComponentChildren }[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>({
  label,
  options,
  chosen,
  onChoose,
}: ChoiceProps<Value>) {
  return (
    <span class="choice" role="group" aria-label={label}>
      {options.map(({ value, text }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </span>
  );
}

interface ChipProps {
  readonly children: ComponentChildren;
  readonly isChosen: boolean;
  readonly onPress: () => void;
}

export function Chip({ children, isChosen, onPress }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={isChosen} onClick={onPress}>
      {children}
    </button>
  );
}
