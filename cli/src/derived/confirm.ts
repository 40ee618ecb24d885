import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { plainText } from '../output/plain-text.ts';
import { readLines } from '../read-input.ts';

/** Asks on the terminal, and throws unless the answer is yes. */
export async function confirm({ stdin, stderr }: Environment, what: string): Promise<void> {
  if (!stdin.isTerminal || !stderr.isTerminal)
    throw new ExitError(
      exitCodes.usage,
      'This cannot be undone, and there is no terminal to ask. Give --yes to do it.',
    );
  stderr.write(`${plainText(what)}? [y/N] `);
  for await (const line of readLines(stdin)) {
    if (/^y(es)?$/i.test(line.trim())) return;
    break;
  }
  throw new ExitError(exitCodes.general, 'Nothing was changed.');
}
