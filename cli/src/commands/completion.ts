import type { Command } from '../command.ts';

/** The scripts ask the program itself, so that they stay valid when it is upgraded. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_chowk() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    # Bash splits words at the equals sign.
    if [[ $current == "=" || \${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then line="\${line#*=}"; fi
    COMPREPLY+=("$line")
  done < <(chowk __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _chowk chowk
`,
  zsh: `#compdef chowk
_chowk() {
  local line
  local -a options words_found
  for line in "\${(@f)$(chowk __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    local name="\${line%%$'\\t'*}" help="\${line#*$'\\t'}"
    if [[ $name == *= ]]; then options+=("\${name//:/\\\\:}:$help"); else words_found+=("\${name//:/\\\\:}:$help"); fi
  done
  (( \${#options} )) && _describe -o 'option' options -S ''
  (( \${#words_found} )) && _describe 'chowk' words_found
  (( \${#options} + \${#words_found} )) || _files
}
if [[ $funcstack[1] == _chowk ]]; then _chowk; else compdef _chowk chowk; fi
`,
  fish: `function __chowk_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (chowk __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c chowk -f -a '(__chowk_complete)'
`,
};

export const completionCommand: Command = {
  words: ['completion'],
  summary: 'Print the completion script of a shell',
  arguments: [{ name: 'shell', help: 'The shell.', choices: Object.keys(scripts) }],
  examples: [
    'source <(chowk completion bash)     # in ~/.bashrc',
    'source <(chowk completion zsh)      # in ~/.zshrc, after compinit',
    'chowk completion fish > ~/.config/fish/completions/chowk.fish',
  ],
  async run({ stdout }, { arguments: [shell = ''] }) {
    stdout.write(scripts[shell] as string);
  },
};
