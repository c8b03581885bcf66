// Scripts for bash and zsh. Both walk over the words before the cursor as the command line does, and then
// know at which command, or at the value of which flag, the cursor stands. What the coordinator says is
// never taken as text of the shell: each word is compared and given as it is.

import type { Place, Value } from './words.ts';

interface Shell {
  readonly head: string;
  /** Sets `cur`, and `typed`: the words between the command and the cursor. */
  readonly begin: string;
  readonly add: (words: readonly string[]) => string;
  readonly files: string;
  readonly end: string;
}

const bash: Shell = {
  head: '# Completion of muster for bash. To have it:  source <(muster completion bash)',
  // COMP_WORDS is of no use here: bash divides addresses at their colons.
  begin: `  local cur="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_LINE:0:COMP_POINT}" typed
  read -ra typed <<< "$line"
  if [[ "$line" != *[[:space:]] ]]; then typed=("\${typed[@]:0:\${#typed[@]}-1}"); fi
  local muster="\${typed[0]}"
  typed=("\${typed[@]:1}")
  COMPREPLY=()`,
  add: (words) => `_muster_add ${words.join(' ')}`,
  files: `compopt -o default 2>/dev/null`,
  end: `_muster_add() {
  local word
  for word in "$@"; do
    if [[ "$word" == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}

complete -F _muster muster
`,
};

const zsh: Shell = {
  head: `#compdef muster
# Completion of muster for zsh. To have it:  source <(muster completion zsh)`,
  begin: `  local cur="$words[CURRENT]" muster="$words[1]"
  local -a typed=("\${(@)words[2,CURRENT-1]}")`,
  add: (words) => `_muster_add ${words.join(' ')}`,
  files: '_files',
  end: `_muster_add() {
  compadd -- "$@"
}

compdef _muster muster
`,
};

export function bashScript(places: readonly Place[]): string {
  return script(places, bash);
}

export function zshScript(places: readonly Place[]): string {
  return script(places, zsh);
}

function script(places: readonly Place[], shell: Shell): string {
  const flags = places.flatMap(({ path, flags: own }) =>
    own.flatMap(({ names, value }) =>
      value === null ? [] : [{ at: names.map((name) => `${path} ${name}`), value }],
    ),
  );
  const commands = places.slice(1).map(({ path }) => path);
  return `${shell.head}

_muster() {
${shell.begin}
  local where=muster flag="" word number=0
  for word in "\${typed[@]}"; do
    if [[ -n "$flag" ]]; then
      flag=""
      continue
    fi
    case "$where $word" in
      ${pattern(flags.flatMap(({ at }) => at))}) flag="$word" ;;
      ${pattern(commands)}) where="$where $word" ;;
      *" "-*) ;;
      *) number=$((number + 1)) ;;
    esac
  done
  if [[ -n "$flag" ]]; then
    case "$where $flag" in
${flags.map(({ at, value }) => `      ${pattern(at)}) ${offer(value, shell)} ;;`).join('\n')}
    esac
    return 0
  fi
  if [[ "$cur" == -* ]]; then
    case "$where" in
${places.map(({ path, flags: own }) => `      ${pattern([path])}) ${shell.add(own.flatMap(({ names }) => names))} ;;`).join('\n')}
    esac
    return 0
  fi
  case "$where $number" in
${places.flatMap((place) => valueCases(place, shell)).join('\n')}
  esac
  return 0
}

_muster_ask() {
  local said
  while IFS= read -r said; do _muster_add "$said"; done < <("$muster" completion --list "$1" 2>/dev/null)
}

${shell.end}`;
}

function valueCases({ path, commands, values, repeats }: Place, shell: Shell): readonly string[] {
  if (commands.length > 0) {
    return [`    ${pattern([`${path} 0`])}) ${shell.add(commands.map(({ word }) => word))} ;;`];
  }
  return values.map((value, at) => {
    const number = repeats && at === values.length - 1 ? '*' : String(at);
    return `    ${pattern([`${path} `])}${number}) ${offer(value, shell)} ;;`;
  });
}

function offer({ kind, words }: Value, shell: Shell): string {
  if (words.length > 0) return shell.add(words);
  if (kind === 'files') return shell.files;
  return kind === 'other' ? ':' : `_muster_ask ${kind}`;
}

/** Of a \`case\`: texts as they are. */
function pattern(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join('|');
}
