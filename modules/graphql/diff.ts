import { type ModuleCommand, UsageError } from '@chowk/kit';

const usage = '--from=<ring or SDL file> --to=<ring or SDL file> [--json]';

export const diffCommand: ModuleCommand = {
  name: 'graphql:diff',
  usage,
  summary: 'compare the GraphQL schemas of two rings, or of SDL files such as docs/schema.graphql of another release',
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run({ system }, { options: { from, to, json } }, { say, table }) {
    if (typeof from !== 'string' || typeof to !== 'string') {
      throw new UsageError(`--from and --to are required; usage: chowkd graphql:diff ${usage}`);
    }
    const comparison = await system.graphql.compareSchemas(from, to);
    const { changes, broken_queries: queries, broken_query_count: count } = comparison;
    if (json) say(JSON.stringify(comparison, null, 2));
    else {
      table(changes, 'There are no changes that clients notice.');
      if (count > 0) {
        say(`\nPersisted queries that would no longer be valid: ${count}`);
        table(queries, '');
      }
    }
    const breaking = changes.filter(({ severity }) => severity === 'breaking').length;
    // A change that is safe by itself can make two fields of a query conflict.
    if (breaking + count > 0) {
      throw new Error(`breaking changes: ${breaking}, persisted queries that would no longer be valid: ${count}`);
    }
  },
};
