// The script for fish: a line for each word that can be typed, with the condition that holds where it can.

import type { Place, Value } from './words.ts';

export function fishScript(places: readonly Place[]): string {
  const taking = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) => (value === null ? [] : names.map((n) => `${path} ${n}`))),
  );
  const commands = places.slice(1).map(({ path }) => path);
  return `# Completion of muster for fish. To have it:  muster completion fish | source

function __muster_at
    set -l where muster
    set -l flag 0
    for word in (commandline -opc)[2..-1]
        if test $flag = 1
            set flag 0
            continue
        end
        switch "$where $word"
            case ${taking.map(quoted).join(' ')}
                set flag 1
            case ${commands.map(quoted).join(' ')}
                set where "$where $word"
        end
    end
    test "$where" = "$argv[1]"
end

function __muster_ask
    set -l typed (commandline -opc)
    $typed[1] completion --list $argv[1] 2>/dev/null
end

complete -c muster -f
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, values }: Place): readonly string[] {
  const here = `complete -c muster -n ${quoted(`__muster_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ word, meaning }) => `${here} -a ${word} -d ${quoted(meaning)}`),
    ...(values[0] === undefined ? [] : [`${here}${offer(values[0])}`]),
    ...flags.map(({ names, meaning, value }) => {
      const forms = names.map((n) =>
        n.startsWith('--') ? `-l ${n.slice(2)}` : `-s ${n.slice(1)}`,
      );
      const takes = value === null ? '' : ` -r${offer(value)}`;
      return `${here} ${forms.join(' ')}${takes} -d ${quoted(meaning)}`;
    }),
  ];
}

function offer({ kind, words }: Value): string {
  if (words.length > 0) return ` -f -a ${quoted(words.join(' '))}`;
  if (kind === 'files') return ' -F';
  return kind === 'other' ? ' -f' : ` -f -a '(__muster_ask ${kind})'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
