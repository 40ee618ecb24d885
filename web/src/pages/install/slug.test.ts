import { slugify } from '@chowk/kit';
import { expect, test } from 'vitest';
import { suggestSlug } from './slug.ts';

test.each([
  'Acme Stores',
  '  Café Zürich & Co. ',
  "Asha's Tea",
  'Straße 7',
  'चौक बाज़ार',
  'దుకాణం',
  '北京茶馆',
  'متجر الشاي',
  '🛒',
  `${'a'.repeat(49)} b`,
])('the id that is suggested for %s is the one that the platform would choose', async (name) => {
  expect(await suggestSlug(name)).toBe(slugify(name));
});

test.each([
  ['Café Zürich & Co.', 'cafe-zurich-co'],
  ['चौक', 'cauk'],
])('%s becomes %s', async (name, slug) => {
  expect(await suggestSlug(name)).toBe(slug);
});
