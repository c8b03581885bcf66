// The figures in a table, each with its n; two subjects side by side, with how they differ.

import { useState } from 'preact/hooks';
import { Icon, icons } from '../../look/glyphs.tsx';
import { Button } from '../../parts/button.tsx';
import { Panel, PartOfPage } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { sentenceOf } from '../../store/endpoint.ts';
import { grouped, none } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { differenceOf } from './difference.ts';
import { type Figure, figuresOf } from './figures.ts';
import type { Findings } from './findings.ts';
import type { Comparison } from './shared-jobs.ts';

interface FiguresPanelProps {
  readonly one: Findings;
  readonly other: Findings | null;
  readonly names: readonly string[];
  readonly comparison: Comparison;
}

interface Row {
  readonly one: Figure;
  readonly other: Figure | null;
}

export function FiguresPanel({ one, other, names, comparison }: FiguresPanelProps) {
  const part = both(one, other);
  const { note } = comparison;
  const [hasFormulas, setFormulas] = useState(other === null);
  return (
    <Panel
      title="Figures"
      note={other === null ? names[0] : 'from n = 5 on; within two standard errors: about the same'}
      actions={
        <Button kind="bare" isSmall onPress={() => setFormulas(!hasFormulas)}>
          {hasFormulas ? 'Hide how each is counted' : 'How each is counted'}
        </Button>
      }
      isFlush
    >
      <PartOfPage part={part} what="the figures" sentenceOf={sentenceOf} lines={9}>
        {(rows) => (
          <>
            {note === null ? null : (
              <p class={`${comparison.isJudged ? 'soft' : 'warn'} evaluation-others`}>{note}</p>
            )}
            <Table
              label="Figures of the evaluation"
              rows={rows}
              keyOf={({ one: { id } }) => id}
              columns={columnsOf(other === null ? null : names, hasFormulas, comparison)}
            />
          </>
        )}
      </PartOfPage>
    </Panel>
  );
}

function both({ metrics, load }: Findings, other: Findings | null) {
  const parts = [metrics, load, ...(other === null ? [] : [other.metrics, other.load])];
  const mine = metrics.value && load.value && figuresOf(metrics.value, load.value);
  const its =
    other?.metrics.value && other.load.value && figuresOf(other.metrics.value, other.load.value);
  const isThere = mine !== null && (other === null || its);
  return {
    value: isThere
      ? mine.map((figure, place): Row => ({ one: figure, other: its?.[place] ?? null }))
      : null,
    error: parts.find(({ error }) => error !== null)?.error ?? null,
    again: () => {
      for (const { again } of parts) again();
    },
  };
}

function columnsOf(
  names: readonly string[] | null,
  hasFormulas: boolean,
  { isTold: isComparable, isJudged }: Comparison,
): readonly Column<Row>[] {
  const nameColumn: Column<Row> = {
    id: 'name',
    head: 'Figure',
    card: names === null ? 'lead' : 'wide',
    cell: ({ one: { name, formula } }) => (
      <>
        <span class="strong">{name}</span>
        {hasFormulas ? <small class="mute evaluation-formula">{formula}</small> : null}
      </>
    ),
  };
  if (names === null) return [nameColumn, ...valueColumns('one', 'Value')];
  const [mine = '', its = ''] = names;
  return [
    nameColumn,
    ...valueColumns('one', mine, mine),
    ...valueColumns('other', its, its),
    {
      id: 'difference',
      head: 'Difference',
      isNumber: true,
      card: 'wide',
      cell: ({ one, other }) => {
        if (!isComparable) return none;
        const { text, isTold, verdict } = differenceOf(one, other!);
        return (
          <span class={`state ${isTold ? 'strong' : 'mute'}`}>
            {text}
            {isJudged && verdict && (
              <>
                <Icon path={verdict === 'better' ? icons.check : icons.close} size={14} />
                {verdict}
              </>
            )}
          </span>
        );
      },
    },
  ];
}

/** `label`: on cards, which of two it is. */
function valueColumns(side: 'one' | 'other', head: string, label?: string): readonly Column<Row>[] {
  return [
    {
      id: side,
      head,
      isNumber: true,
      ...(label && { label }),
      class: 'evaluation-value',
      cell: (row) => {
        const { text, value } = row[side]!;
        return value === null ? (
          <span class="mute" title="Nothing of which it could be told">
            {text}
          </span>
        ) : (
          <span data-figure={`${side} ${row.one.id}`}>{text}</span>
        );
      },
    },
    {
      id: `${side} n`,
      head: 'n',
      isNumber: true,
      class: 'mute',
      cell: (row) => {
        const { n, of } = row[side]!;
        return (
          <span
            title={counted(n, of.slice(0, -1))}
          >{`${grouped(n)} ${n === 1 ? of.slice(0, -1) : of}`}</span>
        );
      },
    },
  ];
}
