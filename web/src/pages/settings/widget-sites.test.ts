import { expect, test } from 'vitest';
import { readSites } from './widget-sites.ts';

test.each([
  ['https://shop.example.com', ['https://shop.example.com']],
  ['https://Shop.example.com/teas?page=2\n\n  shop.example.com ', ['https://shop.example.com']],
  ['http://localhost:3000, www.example.com', ['http://localhost:3000', 'https://www.example.com']],
  ['https://', ['https://']],
  [' \n ', []],
])('%j has the sites %j', (text, sites) => {
  expect(readSites(text)).toEqual(sites);
});
