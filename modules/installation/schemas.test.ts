import { Issues } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBody } from '../../server/src/schemas/validation.ts';
import { ownerForm } from '../../server/testing/wizard.ts';
import { checkRegion } from './region.ts';
import { NewOwner } from './schemas.ts';

const validate = compileBody(NewOwner);

/** The fields that are refused. */
function refused(changes: Parameters<typeof ownerForm>[0]): string[] {
  const form = ownerForm({ organization_slug: 'acme', ...changes });
  const issues = new Issues();
  issues.addAll(validate(form));
  checkRegion(form as Partial<NewOwner>, issues);
  return Object.keys(issues.errors);
}

const labelCharacters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

test('a slug of letters, digits and inner hyphens is accepted', () => {
  const outer = fc.constantFrom(...labelCharacters);
  const inner = fc.string({ unit: fc.constantFrom(...labelCharacters, '-'), maxLength: 48 });
  fc.assert(
    fc.property(outer, inner, outer, (first, middle, last) => {
      const slug = `${first}${middle}${last}`;
      fc.pre(!slug.startsWith('xn--'));
      expect(refused({ organization_slug: slug })).toEqual([]);
    }),
  );
});

test('a slug with any other character anywhere is refused', () => {
  const other = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => !/^[a-z0-9-]$/.test(one));
  fc.assert(
    fc.property(other, fc.nat(4), (character, place) => {
      const slug = `${'acme'.slice(0, place)}${character}${'acme'.slice(place)}`;
      expect(refused({ organization_slug: slug })).toEqual(['organization_slug']);
    }),
  );
});

test('a password is refused exactly when it has more than 72 bytes or a null character', () => {
  const password = fc.string({ unit: 'binary', minLength: 8, maxLength: 72 });
  fc.assert(
    fc.property(password, (text) => {
      const wrong = new TextEncoder().encode(text).length > 72 || text.includes('\0');
      expect(refused({ password: text, password_confirmation: text })).toEqual(wrong ? ['password'] : []);
    }),
    { examples: [['a'.repeat(72)], ['é'.repeat(36)], [`${'é'.repeat(36)}a`], ['password\0']] },
  );
});

test('names are trimmed and email addresses are lower-cased', () => {
  const form = ownerForm({ organization_name: ' Acme ', name: '\u00a0Asha ', email: 'ASHA@Example.COM' });
  expect(validate(form)).toBeUndefined();
  expect(form).toMatchObject({ organization_name: 'Acme', name: 'Asha', email: 'asha@example.com' });
});

test('a confirmation that differs is reported together with the problems of the password', () => {
  expect(refused({ password: 'short', password_confirmation: 'shorter' })).toEqual([
    'password',
    'password_confirmation',
  ]);
  expect(refused({ password: 'short', password_confirmation: 'short' })).toEqual(['password']);
});
