import { expect, test } from 'vitest';
import type { Command } from './command.ts';
import { leadingWords, parseInput } from './parse.ts';

const command: Command = {
  words: ['notes', 'add'],
  summary: 'Add a note',
  arguments: [
    { name: 'title', help: 'The title.' },
    { name: 'colour', help: 'The colour.', optional: true, choices: ['red', 'blue'] },
  ],
  options: {
    text: { type: 'string', short: 't', help: 'The text.' },
    tag: { type: 'string', multiple: true, choices: ['home', 'work'], help: 'A tag.' },
    pinned: { type: 'boolean', help: 'Pin it.' },
  },
  async run() {},
};
const parse = (...args: string[]) => parseInput(command, ['notes', 'add', ...args]);

test('options may stand before, between and after the words', () => {
  const args = ['--tenant', 'acme', 'notes', '--json', 'add', 'Tea', '--text=a=b', '--pinned'];
  expect(leadingWords(args)).toEqual(['notes', 'add', 'Tea']);
  expect(parseInput(command, args)).toEqual({
    arguments: ['Tea'],
    options: { tenant: 'acme', json: true, text: 'a=b', pinned: true },
  });
});

test.each<[string[], object]>([
  [['x', '-t', 'y'], { text: 'y' }],
  [['x', '--text='], { text: '' }],
  [['x', '--no-pinned'], { pinned: false }],
  [['x', '--pinned=false'], { pinned: false }],
  [['x', '--tag=home', '--tag', 'work'], { tag: ['home', 'work'] }],
  [['x', '--tag=home,work'], { tag: ['home,work'] }],
])('%j is %j', (args, options) => {
  expect(parse(...args).options).toEqual(options);
});

test('a negative number and what follows -- are arguments', () => {
  expect(parse('-5').arguments).toEqual(['-5']);
  expect(parse('--', '--text').arguments).toEqual(['--text']);
});

test.each<[string[], RegExp]>([
  [[], /Missing: <title>/],
  [['a', 'red', 'c'], /Unexpected: 'c'/],
  [['a', 'green'], /<colour> must be one of red, blue/],
  [['a', '--txt=b'], /no option --txt\. Did you mean --text\?/],
  [['a', '-x'], /no option -x/],
  [['a', '--text'], /--text needs a value/],
  [['a', '--tag=away'], /--tag must be one of home, work; got 'away'/],
  [['a', '--pinned=maybe'], /--pinned is either/],
  [['a', '--constructor=x'], /no option --constructor/],
])('%j is wrong usage', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});

test('the help needs no arguments', () => {
  expect(parse('--help').options).toEqual({ help: true });
});
