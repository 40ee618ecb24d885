import { expect, test } from 'vitest';
import { findQuery, matchNames, splitMentions } from './mention-text.ts';

test.each([
  ['@', { start: 0, text: '' }],
  ['Please call, @Asha R', { start: 13, text: 'Asha R' }],
  ['(@ra', { start: 1, text: 'ra' }],
  ['asha@example', undefined],
  ['@Asha\nand', undefined],
  ['No one', undefined],
])('at the end of %j the mention is %j', (text, expected) => {
  expect(findQuery(text, text.length)).toEqual(expected);
});

test('colleagues are offered by the beginning of each of their names', () => {
  const people = [{ name: 'Ravi' }, { name: 'Asha Rao' }, { name: 'Meera Nair' }];
  const found = (query: string) => matchNames(people, query).map(({ name }) => name);
  expect(found('ra')).toEqual(['Asha Rao', 'Ravi']);
  expect(found('asha r')).toEqual(['Asha Rao']);
  expect(found('')).toHaveLength(3);
  expect(found('asha rao ')).toEqual([]);
});

test.each([
  ['Ask @asha rao, or @Ravi.', ['Asha', 'Asha Rao', 'Ravi'], ['@asha rao', '@Ravi']],
  ['@Ravindra knows, @Ravi', ['Ravi'], ['@Ravi']],
  ['ravi@example.com', ['Ravi'], []],
  ['@A.B (c) there', ['A.B (c)'], ['@A.B (c)']],
  ['@Ravi', [], []],
])('%j mentions, of %j, %j', (text, names, mentions) => {
  const parts = splitMentions(text, names);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  expect(parts.filter(({ isMention }) => isMention).map((part) => part.text)).toEqual(mentions);
});
