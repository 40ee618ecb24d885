import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBody } from '../../server/src/validation.ts';
import { ownerForm } from '../../server/testing/wizard.ts';
import { NewOwner } from './schemas.ts';
import { slugOf } from './slug.ts';

test.each([
  ['Acme Stores', 'acme-stores'],
  ['  Café “Zoë” & Sons, Ltd. ', 'cafe-zoe-sons-ltd'],
  ['चौक', ''],
  ['---', ''],
  [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('a slug derived from a name is accepted by the form, or empty', () => {
  const validate = compileBody(NewOwner);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const slug = slugOf(name);
      expect(slug.length).toBeLessThanOrEqual(50);
      if (slug !== '') expect(validate(ownerForm({ organization_slug: slug }))).toBeUndefined();
    }),
  );
});
