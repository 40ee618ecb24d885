import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slugify } from './slug.ts';

test.each([
  ['Acme Stores', 'acme-stores'],
  ['  Café “Zoë” & Sons, Ltd. ', 'cafe-zoe-sons-ltd'],
  ['चौक', 'cauk'],
  ['Кафе Ёлка', 'kafe-elka'],
  ['北京', 'beijing'],
  ['O’Brien’s', 'obriens'],
  ['---', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('the slug of %s is %s', (name, slug) => {
  expect(slugify(name)).toBe(slug);
});

test('a slug is a label of a host name, or empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const slug = slugify(name);
      expect(slug.length).toBeLessThanOrEqual(50);
      if (slug !== '') expect(slug).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    }),
  );
});
