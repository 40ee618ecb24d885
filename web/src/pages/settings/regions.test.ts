import { beforeAll, expect, test, vi } from 'vitest';

type Regions = typeof import('./regions.ts');
let regions: Regions;
beforeAll(async () => {
  vi.stubGlobal('navigator', { language: 'en' });
  regions = await import('./regions.ts');
});

const india = { country: 'IN', states: ['KA'] };
const states = (country: string) =>
  country === 'IN'
    ? ([
        ['GA', 'Goa'],
        ['KA', 'Karnataka'],
      ] as const)
    : [];

test('a whole country takes the place of its states, and the other way round', () => {
  const whole = regions.addPlace([india], { country: 'IN', state: undefined });
  expect(whole).toEqual([{ country: 'IN', states: [] }]);
  expect(regions.addPlace(whole, { country: 'IN', state: 'GA' })).toEqual([{ country: 'IN', states: ['GA'] }]);
});

test('the last state of a country takes the country with it', () => {
  expect(regions.removePlace([india, { country: 'NP', states: [] }], { country: 'IN', state: 'KA' })).toEqual([
    { country: 'NP', states: [] },
  ]);
});

test('names that begin with the text come first, states among them', () => {
  const found = regions.findPlaces('go', states).map((place) => regions.placeName(place, states));
  expect(found[0]).toBe('Goa, India');
  expect(found).toContain('Angola');
});

test('the states of a country are listed after its name', () => {
  const zone = [
    { country: 'IN', states: ['KA', 'XX'] },
    { country: 'NP', states: [] },
  ];
  expect(regions.describeRegions(zone, states)).toEqual(['India: Karnataka, XX', 'Nepal']);
});
