import type { ChowkError } from '@chowk/client';
import { expect, test } from 'vitest';
import { currentErrors, formProblem, takenFields, unshownMessage } from './field-errors.ts';

const fields: ChowkError['fields'] = {
  email: [
    { code: 'taken', message: 'The email is taken.' },
    { code: 'invalid', message: 'The email has no domain.' },
  ],
  phone: [{ code: 'too_long', message: 'The phone is too long.' }],
};

test('all problems of a field are shown at it', () => {
  expect(currentErrors(fields, [])).toEqual({
    email: 'The email is taken. The email has no domain.',
    phone: 'The phone is too long.',
  });
});

test('the error of a field disappears when it is edited, the others stay', () => {
  expect(currentErrors(fields, ['email'])).toEqual({ phone: 'The phone is too long.' });
});

test('a taken value is offered as a link until it is edited', () => {
  expect([takenFields(fields, []), takenFields(fields, ['email'])]).toEqual([['email'], []]);
});

test('errors of fields that the form does not have are not lost', () => {
  expect(unshownMessage(fields, ['email'], '')).toBe('The phone is too long.');
  expect(unshownMessage(fields, ['email', 'phone'], '')).toBeUndefined();
});

test('a message that the form shows in its own words is not repeated', () => {
  expect(unshownMessage(fields, ['email'], 'Warning: The phone is too long.')).toBeUndefined();
});

test('a failure without fields is shown above the form', () => {
  expect(formProblem(new Error('Nothing was saved.'), {}, undefined)).toBe('Nothing was saved.');
  expect(formProblem(undefined, {}, undefined)).toBeUndefined();
  expect(formProblem(new Error('Invalid.'), fields, 'The phone is too long.')).toBe('The phone is too long.');
});
