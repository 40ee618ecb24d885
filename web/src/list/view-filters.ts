import type { Search } from '../routing/search-params.ts';

/* Views are saved with the filters of an action, such as `{ status: ['pending'] }`. The address of a list has texts. */

/** The list whose views are saved. */
export interface ViewList {
  /** The action that lists: `orders.list`. */
  readonly action: string;
  /** What the address of the list can have. */
  readonly fields: readonly string[];
  /** The fields that are not texts. */
  readonly types?: Readonly<Record<string, 'list' | 'boolean' | 'number'>>;
  /** The fields that have another name in the address than in the action. */
  readonly names?: Readonly<Record<string, string>>;
  /** What the page lists if the address does not say it. */
  readonly defaults?: Search;
}

type Filters = Readonly<Record<string, unknown>>;

export function toFilters({ fields, types = {}, names = {}, defaults }: ViewList, search: Search): Filters {
  const all = { ...defaults, ...search };
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = all[field];
      return text === undefined || text === '' ? [] : [[names[field] ?? field, readValue(types[field], text)]];
    }),
  );
}

/** What does not fit is saved as it is, and refused with a reason. */
function readValue(type: 'list' | 'boolean' | 'number' | undefined, text: string): unknown {
  if (type === 'list') return splitList(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  return text;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
}

/** Undefined if the page does not have one of the filters. */
export function toSearch({ fields, names = {}, defaults = {} }: ViewList, filters: Filters): Search | undefined {
  const byName = new Map(fields.map((field) => [names[field] ?? field, field]));
  const known = Object.entries(filters).map(([name, value]) => [byName.get(name), String(value)] as const);
  if (known.some(([field]) => field === undefined)) return undefined;
  return Object.fromEntries(known.filter(([field, text]) => defaults[field as string] !== text));
}

/** The same filters always in the same form: `vip, pune` is `vip,pune`. */
export function normalizeSearch(list: ViewList, search: Search): Search {
  return toSearch(list, toFilters(list, search)) ?? {};
}
