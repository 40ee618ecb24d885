import { expect, test } from 'vitest';
import { isFilled, templateText } from './template-text.ts';

const template = {
  id: `HX${'a'.repeat(32)}`,
  name: 'order_ready',
  language: 'en',
  body: 'Hello {{1}}, {{1}}! Order {{number}} is ready.',
  variables: [
    { name: '1', example: 'Asha' },
    { name: 'number', example: '1042' },
  ],
};

test('variables are filled in once, and what is missing keeps its braces', () => {
  expect(templateText(template, { 1: ' {{number}} ' })).toBe(
    'Hello {{number}}, {{number}}! Order {{number}} is ready.',
  );
  expect(templateText(template, { 1: 'Asha', number: '$&' })).toBe('Hello Asha, Asha! Order $& is ready.');
});

test('a template can be sent when all variables have a value', () => {
  expect(isFilled(template, {})).toBe(false);
  expect(isFilled(template, { 1: 'Asha', number: ' ' })).toBe(false);
  expect(isFilled(template, { 1: 'Asha', number: '1042' })).toBe(true);
});
