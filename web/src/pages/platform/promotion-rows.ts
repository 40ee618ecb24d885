import type { Promotion } from '@chowk/client';

interface Row {
  readonly key: string;
  readonly change: string;
  readonly text: string;
}

const parts = { operations: 'operation', permissions: 'permission', settings: 'setting', events: 'event' } as const;

/** One row for each change: what is lost first, then what changes, then what is gained. */
export function promotionRows(promotion: Promotion): readonly Row[] {
  const { graphql, migrations } = promotion;
  const named = Object.entries(parts) as [keyof typeof parts, string][];
  const list = (change: string, names: (part: keyof typeof parts) => readonly string[]) =>
    named.flatMap(([part, word]) => names(part).map((text) => row(change, `${word} ${text}`)));
  return [
    ...list('Lost', (part) => promotion[part].lost),
    ...list('Changed', (part) =>
      promotion[part].changed.map(({ name, problem }) => (problem === null ? name : `${name}: ${problem}`)),
    ),
    ...graphql.map(({ description }) => row('GraphQL', description)),
    ...list('New', (part) => promotion[part].gained),
    ...migrations.map((name) => row('New', `migration ${name}`)),
  ];
}

function row(change: string, text: string): Row {
  return { key: `${change} ${text}`, change, text };
}
