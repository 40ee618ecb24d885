import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asks on the terminal; `undefined` where there is none. What is hidden is not shown while it is typed. */
export async function ask(question: string, { hidden = false } = {}): Promise<string | undefined> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  stderr.write(`${question} `);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? silence : stderr, terminal: true });
  try {
    const answer = await lines.question('');
    // A password is what was typed, to the last space.
    return hidden ? answer : answer.trim();
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}
