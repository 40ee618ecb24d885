import { expect, test } from 'vitest';
import { inputProblem, outputProblem } from './schema-compatibility.ts';

type Schema = Parameters<typeof inputProblem>[0];

const text = { type: 'string' };
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required }) as never;

test.each<[string, object, object, string | undefined]>([
  ['the same', object({ a: text }, ['a']), object({ a: text }, ['a']), undefined],
  ['a new optional field', object({ a: text }), object({ a: text, b: text }), undefined],
  ['a new required field', object({ a: text }), object({ a: text, b: text }, ['b']), 'b is now required'],
  ['a field that became required', object({ a: text }), object({ a: text }, ['a']), 'a is now required'],
  ['a field that became optional', object({ a: text }, ['a']), object({ a: text }), undefined],
  ['a removed field', object({ a: text, b: text }), object({ a: text }), 'b does not exist any more'],
  ['another type', object({ a: text }), object({ a: { type: 'integer' } }), 'a can no longer be string'],
  ['an integer that became a number', object({ a: { type: 'integer' } }), object({ a: { type: 'number' } }), undefined],
  ['null that is refused', object({ a: { type: ['string', 'null'] } }), object({ a: text }), 'a can no longer be null'],
  ['null that is accepted', object({ a: text }), object({ a: { type: ['string', 'null'] } }), undefined],
  ['a shorter text', object({ a: text }), object({ a: { ...text, maxLength: 5 } }), 'a has a stricter maxLength'],
  ['a longer text', object({ a: { ...text, maxLength: 5 } }), object({ a: { ...text, maxLength: 9 } }), undefined],
  ['a new format', object({ a: text }), object({ a: { ...text, format: 'uuid' } }), 'a has a stricter format'],
  ['a lost value', object({ a: { enum: ['x', 'y'] } }), object({ a: { enum: ['x'] } }), 'a can no longer be y'],
  ['a new value', object({ a: { enum: ['x'] } }), object({ a: { enum: ['x', 'y'] } }), undefined],
  [
    'items of another type',
    object({ a: { type: 'array', items: object({ b: text }) } }),
    object({ a: { type: 'array', items: object({ b: { type: 'boolean' } }) } }),
    'a[].b can no longer be string',
  ],
  ['one of several types', object({ a: text }), object({ a: { anyOf: [{ type: 'integer' }, text] } }), undefined],
  ['a value of any kind', object({ a: text }), object({ a: { description: 'Anything.' } }), undefined],
])('input with %s', (_, builtAgainst, current, problem) => {
  expect(inputProblem(builtAgainst as Schema, current as Schema)).toBe(problem);
});

test.each<[string, object, object, string | undefined]>([
  ['a new field', object({ a: text }, ['a']), object({ a: text, b: text }, ['a', 'b']), undefined],
  ['a removed field', object({ a: text }, ['a']), object({}), 'a may be missing'],
  ['a field that became optional', object({ a: text }, ['a']), object({ a: text }), 'a may be missing'],
  ['a new value', object({ a: { enum: ['x'] } }), object({ a: { enum: ['x', 'y'] } }), 'a can no longer be y'],
  ['a lost value', object({ a: { enum: ['x', 'y'] } }), object({ a: { enum: ['x'] } }), undefined],
  ['null', object({ a: text }), object({ a: { type: ['string', 'null'] } }), 'a can no longer be null'],
])('output with %s', (_, builtAgainst, current, problem) => {
  expect(outputProblem(builtAgainst as Schema, current as Schema)).toBe(problem);
});
