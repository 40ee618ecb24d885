import type { ShippingZone } from '@chowk/client';
import { countries, countryName } from '../../address/region.ts';

export type Region = ShippingZone['regions'][number];

type FindStates = (country: string) => readonly (readonly [code: string, name: string])[];

/** A state, or a whole country. */
export interface Place {
  readonly country: string;
  readonly state: string | undefined;
}

/** A state takes the place of its whole country, and the other way round. */
export function addPlace(regions: readonly Region[], { country, state }: Place): readonly Region[] {
  const current = regions.find((one) => one.country === country);
  const states = state === undefined ? [] : [...new Set([...(current?.states ?? []), state])];
  if (!current) return [...regions, { country, states }];
  return regions.map((one) => (one === current ? { country, states } : one));
}

/** Without its last state, the country is removed too. */
export function removePlace(regions: readonly Region[], { country, state }: Place): readonly Region[] {
  return regions.flatMap((one) => {
    if (one.country !== country) return [one];
    const states = one.states.filter((other) => other !== state);
    return state === undefined || states.length === 0 ? [] : [{ country, states }];
  });
}

export function listPlaces(regions: readonly Region[]): readonly Place[] {
  return regions.flatMap(({ country, states }): readonly Place[] =>
    states.length === 0 ? [{ country, state: undefined }] : states.map((state) => ({ country, state })),
  );
}

export function placeName({ country, state }: Place, findStates: FindStates): string {
  if (state === undefined) return countryName(country);
  return `${findStates(country).find(([code]) => code === state)?.[1] ?? state}, ${countryName(country)}`;
}

/** `India: Goa, Karnataka · Nepal`. */
export function describeRegions(regions: readonly Region[], findStates: FindStates): readonly string[] {
  return regions.map(({ country, states }) => {
    if (states.length === 0) return countryName(country);
    const names = states.map((state) => findStates(country).find(([code]) => code === state)?.[1] ?? state);
    return `${countryName(country)}: ${names.join(', ')}`;
  });
}

const maxMatches = 8;

/** Countries and states whose name begins with the text, then those that contain it. */
export function findPlaces(text: string, findStates: FindStates): readonly Place[] {
  const needle = text.trim().toLowerCase();
  if (needle === '') return [];
  const candidates = countries.flatMap(({ code, name }) => [
    { country: code, state: undefined, name },
    ...findStates(code).map(([state, stateName]) => ({ country: code, state, name: stateName })),
  ]);
  const rank = (name: string) => name.toLowerCase().indexOf(needle);
  return candidates
    .filter(({ name }) => rank(name) >= 0)
    .sort((one, other) => rank(one.name) - rank(other.name) || one.name.localeCompare(other.name))
    .slice(0, maxMatches)
    .map(({ country, state }) => ({ country, state }));
}
