import { execFile, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../server/testing/chowkd.ts';
import { mainFile, node } from './chowk.ts';

const run = promisify(execFile);

/** Prints why tests are skipped if it is not there. */
export function hasShell(name: string): boolean {
  const found = spawnSync(name, ['--version']).status === 0;
  if (!found) process.stderr.write(`Tests of completion in ${name} are skipped: it is not installed.\n`);
  return found;
}

/** Runs a script in a real shell, with the program in its path. */
async function runIn(shell: string, args: readonly string[], cwd?: string): Promise<string[]> {
  const folder = await temporaryFolder();
  const program = join(folder, 'chowk');
  await writeFile(program, `#!/bin/sh\nexec '${node}' '${mainFile}' "$@"\n`);
  await chmod(program, 0o755);
  const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
  const { stdout } = await run(shell, args, { env, cwd });
  return stdout.split('\n').filter((text) => text !== '');
}

/** What bash offers for the last word. */
export function completeInBash(words: readonly string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(' ');
  const script = `
    source <(chowk completion bash)
    compopt() { :; }
    COMP_WORDS=(chowk ${line}); COMP_CWORD=${words.length}
    _chowk
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runIn('bash', ['-c', script]);
}

const zshScript = `
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell 'PROMPT= ; autoload -U compinit; compinit -u -D; source <(chowk completion zsh)'
  zpty -w shell 'show() { zle complete-word; print -r -- "<$BUFFER>" }; zle -N show; bindkey "^T" show'
  zpty -w shell 'echo "<"ready">"'
  zpty -r shell seen '*<ready>*'
  zpty -w -n shell "$1"
  for press in {1..$2}; do
    zpty -w -n shell $'\\x14'
    zpty -r shell seen '*<chowk*>*'
    print -r -- "\${\${seen##*<}%%>*}"
  done
  zpty -d shell`;

/** The line in an interactive zsh after each time that the user has pressed Tab. */
export function completeInZsh(line: string, { presses = 1, cwd = '.' } = {}): Promise<string[]> {
  return runIn('zsh', ['-f', '-c', zshScript, 'zsh', line, String(presses)], cwd);
}

/** What fish offers for a line, with the help after a tab. */
export function completeInFish(line: string, { cwd = '.' } = {}): Promise<string[]> {
  return runIn('fish', ['--no-config', '-c', `chowk completion fish | source; complete -C '${line}'`], cwd);
}
