import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Prompts on the terminal; `undefined` if there is none. Hidden input is not echoed. */
export async function prompt(question: string, { hidden = false } = {}): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  stderr.write(`${question} `);
  const noOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? noOutput : stderr, terminal: true });
  try {
    const input = await lines.question('');
    // Spaces may be part of a password.
    return hidden ? input : input.trim();
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}
