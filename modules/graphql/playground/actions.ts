import { systemAction, Type } from '@chowk/kit';
import { getAsset } from './assets.ts';
import { playgroundPage, requirePlayground, signInPage } from './pages.ts';

const common = { tag: 'GraphQL', graphql: false } as const;

export const playgroundActions = {
  'graphql.playground': systemAction({
    ...common,
    summary: 'Open the GraphQL playground',
    description:
      'GraphiQL, for browsers. Without a token, a browser gets a page to sign in. Disabled in production unless ' +
      '`GRAPHQL_PLAYGROUND` is set.',
    http: 'GET /graphql/playground',
    needs: 'graphql.playground.access',
    file: ['text/html'],
    errors: ['graphql.playground_disabled'],
    failurePage: signInPage,
    run: playgroundPage,
  }),
  'graphql.playgroundAsset': systemAction({
    ...common,
    summary: 'Get a script or style of the playground',
    http: 'GET /graphql/playground/assets/:version/:file',
    webPage: true,
    public: true,
    tenant: 'none',
    input: Type.Object({ version: Type.String(), file: Type.String() }),
    errors: ['graphql.playground_disabled', 'graphql.asset_not_found'],
    run: async (ctx, asset) => {
      requirePlayground(ctx.system);
      return getAsset(asset);
    },
  }),
};
