/** The part of an address after `?`, as plain strings: `?status=open&search=tea`. */
export type Search = Readonly<Record<string, string | undefined>>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** For `validateSearch` of a route: keeps what the page knows and drops the rest. */
export function pick<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): Partial<Record<Name, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return value === undefined || value === null || value === '' ? [] : [[name, String(value)]];
      }),
    ) as Partial<Record<Name, string>>;
}
