import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { prompt } from './prompt.ts';

/** A terminal. `screen` is its last line, without what `readline` has erased. */
function openTerminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stderr = new PassThrough();
  let output = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  // `\x1b[1G` moves to the start of the line, `\x1b[0J` erases the rest.
  const screen = () => output.split('\x1b[1G\x1b[0J').at(-1);
  return { stdin, streams: { stdin, stderr }, screen, output: () => output };
}

test('the question stays on the screen while the operator types', async () => {
  const { stdin, streams, screen } = openTerminal();
  const answer = prompt('Name:', {}, streams);
  expect(screen()).toContain('Name: ');
  stdin.write('Acmee\x7f');
  await expect.poll(screen).toContain('Name: Acme');
  stdin.write('\r');
  expect(await answer).toBe('Acme');
});

test('a password is not shown, and keeps its spaces', async () => {
  const { stdin, streams, output } = openTerminal();
  const answer = prompt('Password:', { hidden: true }, streams);
  stdin.write(' seecret\x1b[D\x1b[D\x1b[D\x1b[D\x1b[D\x7f \r');
  expect(await answer).toBe(' s ecret');
  expect(output()).toContain('Password: ');
  expect(output()).not.toContain('cret');
});

test('pasted lines answer one question each', async () => {
  const { stdin, streams } = openTerminal();
  const first = prompt('First:', {}, streams);
  stdin.write('one\rtwo\rthree\r');
  expect(await first).toBe('one');
  expect(await prompt('Second:', {}, streams)).toBe('two');
  expect(await prompt('Third:', { hidden: true }, streams)).toBe('three');
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s ends the command with an error', async (_, key) => {
  const { stdin, streams } = openTerminal();
  const answer = prompt('Name:', {}, streams);
  stdin.write(key);
  await expect(answer).rejects.toThrow('stopped by the operator');
});

test('without a terminal there is no answer', async () => {
  const { stdin, streams } = openTerminal();
  expect(await prompt('Name:', {}, { ...streams, stdin: Object.assign(stdin, { isTTY: false }) })).toBeUndefined();
});
