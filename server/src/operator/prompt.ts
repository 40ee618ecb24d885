import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** The streams of a terminal. */
interface Streams {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

/** Lines that were typed, or pasted, before their question. */
const typedAhead: string[] = [];

/** Prompts on the terminal; `undefined` if there is none. Hidden input is not echoed. */
export async function prompt(
  question: string,
  { hidden = false } = {},
  { stdin, stderr }: Streams = process,
): Promise<string | undefined> {
  if (!stdin.isTTY) return undefined;
  let isShown = true;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) stderr.write(chunk);
      done();
    },
  });
  // `readline` repaints the line, so it must know the question.
  const lines = createInterface({ input: stdin, output, terminal: true, prompt: `${question} ` });
  lines.on('line', (line) => typedAhead.push(line));
  lines.prompt();
  isShown = !hidden;
  try {
    if (typedAhead.length === 0) await firstLine(lines);
    else if (!hidden) stderr.write(`${typedAhead[0]}\n`);
    const input = typedAhead.shift() ?? '';
    // Spaces may be part of a password.
    return hidden ? input : input.trim();
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}

/** Fails if the operator ends the input instead, with Ctrl-C or Ctrl-D. */
function firstLine(lines: ReturnType<typeof createInterface>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error('stopped by the operator')));
  });
}
