import { Answer, signedIn, systemAction } from '@chowk/kit';
import { execute } from './execute.ts';
import { playgroundActions } from './playground/actions.ts';
import { Request, Result } from './schemas.ts';

const common = { tag: 'GraphQL', graphql: false } as const;

export const actions = {
  'graphql.execute': systemAction({
    ...common,
    summary: 'Run a GraphQL operation',
    description:
      'GraphQL over HTTP: the response is `application/graphql-response+json` if the request accepts it. Each field of ' +
      'the operation needs the permission of its action.',
    http: 'POST /graphql',
    needs: signedIn,
    unchecked: true,
    audited: false,
    bodyLimit: 256 * 1024,
    input: Request,
    output: Result,
    run: execute,
  }),
  'graphql.schema': systemAction({
    ...common,
    summary: 'Get the GraphQL schema',
    description: 'The schema of the modules that are enabled for the tenant, as SDL.',
    http: 'GET /graphql/schema',
    needs: 'graphql.schema.view',
    file: ['text/plain'],
    run: async (ctx) =>
      new Answer(await ctx.system.graphql.sdl(ctx), { headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  }),
  ...playgroundActions,
};
