import { Failure } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownerForm } from '../../server/testing/wizard.ts';
import { readOwnerForm, slugOf } from './owner-form.ts';

/** The fields that are refused. */
function refused(changes: Parameters<typeof ownerForm>[0]): string[] {
  try {
    readOwnerForm(ownerForm({ organization_slug: 'acme', ...changes }));
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return Object.keys(error.extras.errors ?? {});
  }
}

const labelCharacters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

test('a slug of letters, digits and inner hyphens is taken as it is', () => {
  const outer = fc.constantFrom(...labelCharacters);
  const inner = fc.string({ unit: fc.constantFrom(...labelCharacters, '-'), maxLength: 48 });
  fc.assert(
    fc.property(outer, inner, outer, (first, middle, last) => {
      const slug = `${first}${middle}${last}`;
      expect(readOwnerForm(ownerForm({ organization_slug: slug })).slug).toBe(slug);
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

test('names lose the blanks around them, and an address its capitals', () => {
  const form = ownerForm({ organization_name: ' Acme ', name: '\u00a0Asha ', email: 'ASHA@Example.COM' });
  expect(readOwnerForm(form)).toMatchObject({ organization: 'Acme', name: 'Asha', email: 'asha@example.com' });
});

test.each([
  ['Acme Stores', 'acme-stores'],
  ['  Café “Zoë” & Sons, Ltd. ', 'cafe-zoe-sons-ltd'],
  ['चौक', ''],
  ['---', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('a slug made from a name is one that the form takes, or empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const slug = slugOf(name);
      expect(slug.length).toBeLessThanOrEqual(50);
      if (slug !== '') expect(refused({ organization_slug: slug })).toEqual([]);
    }),
  );
});
