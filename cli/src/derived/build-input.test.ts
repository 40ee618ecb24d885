import { expect, test } from 'vitest';
import { testEnvironment } from '../../testing/environment.ts';
import { parseInput } from '../parse.ts';
import { buildInput } from './build-input.ts';
import type { DerivedCommand } from './derived-command.ts';
import { toCommand } from './to-command.ts';

const derived: DerivedCommand = {
  words: ['notes', 'add'],
  action: 'notes.add',
  summary: 'Add a note',
  arguments: [{ name: 'id', help: 'The id.' }],
  options: [
    { name: 'text', help: 'The text.' },
    { name: 'count', help: 'The count.', type: 'integer' },
    { name: 'is_pinned', help: 'Pin it.', type: 'boolean' },
    { name: 'tags', help: 'The tags.', isList: true },
    { name: 'kinds', help: 'The kinds.', isList: true, choices: ['a', 'b'] },
    { name: 'author.first_name', help: 'The name.' },
    { name: 'author.last_name', help: 'The name.' },
    { name: 'lines', help: 'The lines.', isList: true, type: 'record', types: { quantity: 'integer' } },
    { name: 'data', help: 'The data.', type: 'json' },
  ],
};

function build(args: readonly string[], input = '') {
  const { environment } = testEnvironment({ input });
  return buildInput(environment, derived, parseInput(toCommand(derived), ['notes', 'add', '7', ...args]));
}

test.each<[string[], object]>([
  [['--text=Tea'], { text: 'Tea' }],
  [['--text=42'], { text: '42' }],
  [['--text='], { text: null }],
  [['--count=42'], { count: 42 }],
  [['--count=many'], { count: 'many' }],
  [['--count='], { count: null }],
  [['--is-pinned'], { is_pinned: true }],
  [['--no-is-pinned'], { is_pinned: false }],
  [['--tags=a, b', '--tags=c'], { tags: ['a, b', 'c'] }],
  [['--tags='], { tags: [] }],
  [['--kinds=a,b'], { kinds: ['a', 'b'] }],
  [['--author.first-name=Asha', '--author.last-name=Rao'], { author: { first_name: 'Asha', last_name: 'Rao' } }],
  [['--lines=name=Tea, green,quantity=2,price=1.50'], { lines: [{ name: 'Tea, green', quantity: 2, price: '1.50' }] }],
  [['--lines={"name":"Tea"}'], { lines: [{ name: 'Tea' }] }],
  [['--data={"a":[1]}'], { data: { a: [1] } }],
  [['--data=customer'], { data: 'customer' }],
  [['--data=null'], { data: null }],
])('%j is the input %j', async (args, expected) => {
  expect(await build(args)).toEqual({ id: '7', ...expected });
});

test('options take precedence over the input, and the argument over both', async () => {
  const input = JSON.stringify({ id: '8', text: 'Coffee', author: { first_name: 'Ravi', last_name: 'Rao' } });
  expect(await build(['--input=-', '--text=Tea', '--author.first-name=Asha'], input)).toEqual({
    id: '7',
    text: 'Tea',
    author: { first_name: 'Asha', last_name: 'Rao' },
  });
});

test.each<[string[], string, RegExp]>([
  [['--data={'], '', /--data is not valid JSON/],
  [['--lines=Tea'], '', /--lines needs the form name=value; got 'Tea'/],
  [['--input=-'], 'x', /The standard input is not valid JSON/],
  [['--input=-'], '[]', /must be a JSON object/],
])('%j with the input %j is wrong usage', async (args, input, message) => {
  await expect(build(args, input)).rejects.toThrow(message);
});
