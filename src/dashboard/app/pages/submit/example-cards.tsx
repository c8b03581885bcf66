// Programs to begin with: looked at, or run as they are with one click.

import { Button } from '../../parts/button.tsx';
import { takeExample } from './draft.ts';
import { type Example, examples } from './examples.ts';

interface ExampleCardsProps {
  readonly onRun: () => Promise<void>;
}

export function ExampleCards({ onRun }: ExampleCardsProps) {
  const run = (example: Example): Promise<void> => {
    takeExample(example);
    return onRun();
  };
  return (
    <section class="submit-examples" aria-label="Examples">
      {examples.map((example) => (
        <article key={example.id} class="panel">
          <h2>{example.title}</h2>
          <p class="soft">{example.does}</p>
          <div class="row">
            <Button isSmall label={`Run it: ${example.title}`} onPress={() => run(example)}>
              Run it
            </Button>
            <Button
              kind="bare"
              isSmall
              label={`Look at it: ${example.title}`}
              onPress={() => takeExample(example)}
            >
              Look at it
            </Button>
          </div>
        </article>
      ))}
    </section>
  );
}
