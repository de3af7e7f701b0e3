/**
 * `bongsu completion SHELL`: a script that completes commands, options and the words that an option takes. It is written from
 * the commands themselves, so it knows no other ones, and asks nobody while it runs.
 */
import { Argument, type Command } from 'commander';
import { EXIT_CODES_HELP } from './failure.ts';

interface Word {
  readonly name: string;
  readonly meaning: string;
}

/** A command, and what may follow it. */
interface Place {
  /** Its words, such as `account create`; empty for bongsu itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly (Word & { readonly choices: readonly string[]; readonly takesValue: boolean })[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const EXAMPLES = `
Examples:
  $ bongsu completion bash > /etc/bash_completion.d/bongsu
  $ bongsu completion zsh > /usr/local/share/zsh/site-functions/_bongsu
  $ bongsu completion fish > ~/.config/fish/completions/bongsu.fish`;

export function addCompletionCommand(program: Command): void {
  const command = program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS));
  command
    .description('write a script that completes commands and options in a shell')
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODES_HELP}`);
  command.action((shell: Shell) => {
    process.stdout.write(completionScript(shell, program));
  });
}

export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const here: Place = {
    path: path.join(' '),
    commands: command.commands.map(each => ({ name: each.name(), meaning: each.description() })),
    options: command.options.map(({ long, description, argChoices, required }) => ({
      name: long ?? '',
      meaning: description,
      choices: argChoices ?? [],
      takesValue: required,
    })),
  };
  return [here, ...command.commands.flatMap(each => placesOf(each, [...path, each.name()]))];
}

/** Every command but bongsu itself, as a pattern of `case`. */
function patternOf(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|');
}

/** The branches of a `case` over the command that was typed so far: what may follow it. */
function branches(places: readonly Place[], reply: (words: string) => string): string {
  return places
    .map(({ path, commands, options }) => {
      const words = [...commands, ...options].map(({ name }) => name);
      return `    '${path}') ${reply([...words, '--help'].join(' '))} ;;`;
    })
    .join('\n');
}

/** The branches of a `case` over a command and the option before the cursor: the words that it takes, or files. */
function choiceBranches(places: readonly Place[], reply: (words: string) => string): string {
  return places
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ name, choices }) => `    '${path} ${name}') ${reply(choices.join(' '))} ;;`),
    )
    .join('\n');
}

function bashScript(places: readonly Place[]): string {
  return `# bash completion of bongsu
_bongsu() {
  local at='' i next
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
    ${patternOf(places)}) at=$next ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${choiceBranches(places, words => `_bongsu_reply '${words}'; return`)}
  esac
  case "$at" in
${branches(places, words => `_bongsu_reply '${words}'`)}
  esac
}
_bongsu_reply() {
  COMPREPLY=($(compgen -W "$1" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _bongsu bongsu
`;
}

function zshScript(places: readonly Place[]): string {
  return `#compdef bongsu
_bongsu() {
  local at='' next word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${at:+$at }$word"
    case "$next" in
    ${patternOf(places)}) at=$next ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${choiceBranches(places, words => (words === '' ? '_files; return' : `compadd -- ${words}; return`))}
  esac
  case "$at" in
${branches(places, words => `compadd -- ${words}`)}
  esac
}
if [ "$funcstack[1]" = _bongsu ]; then _bongsu "$@"; else compdef _bongsu bongsu; fi
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `complete -c bongsu -n ${quoted(`__bongsu_at ${path}`.trimEnd())}`;
    return [
      ...commands.map(({ name, meaning }) => `${here} -f -a ${name} -d ${quoted(meaning)}`),
      ...options.map(({ name, meaning, choices, takesValue }) => {
        const words = choices.length > 0 ? ` -f -a ${quoted(choices.join(' '))}` : '';
        const value = takesValue ? ` -r${words}` : '';
        return `${here} -l ${name.replace(/^--/, '')}${value} -d ${quoted(meaning)}`;
      }),
    ];
  });
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion of bongsu
set -g __bongsu_commands ${paths.join(' ')}
function __bongsu_at
  set -l at
  for word in (commandline -opc)[2..]
    if contains -- (string join -- ' ' $at $word) $__bongsu_commands
      set -a at $word
    end
  end
  test "$argv" = "$at"
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
