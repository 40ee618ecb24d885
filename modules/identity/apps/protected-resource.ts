import { named, type Static, type SystemCtx, systemAction, Type } from '@chowk/kit';
import { listPermissionNames } from '../oauth/oauth-scopes.ts';

const ProtectedResource = named(
  'ProtectedResource',
  Type.Object({
    resource: Type.String({ examples: ['https://acme.example.com'] }),
    authorization_servers: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    bearer_methods_supported: Type.Array(Type.String()),
    resource_name: Type.String(),
    resource_documentation: Type.String(),
  }),
);

/** The address that the client has used, because it compares them (RFC 9728, 3.3). */
async function describe(
  { system, central, client }: SystemCtx,
  path: string,
): Promise<Static<typeof ProtectedResource>> {
  const { url } = system;
  const origin = system.isOwnHost(client) ? `${new URL(url).protocol}//${client.host}` : url;
  return {
    resource: origin + path,
    authorization_servers: [url],
    scopes_supported: await listPermissionNames(central),
    bearer_methods_supported: ['header'],
    resource_name: 'Chowk',
    resource_documentation: `${url}/docs/`,
  };
}

const common = {
  tag: 'OAuth',
  root: true,
  tenant: 'none',
  public: true,
  graphql: false,
  output: ProtectedResource,
} as const;

export const protectedResourceActions = {
  'oauth.protectedResource': systemAction({
    ...common,
    summary: 'Get the OAuth metadata of the API',
    description: 'Where clients get tokens for the API (RFC 9728).',
    http: 'GET /.well-known/oauth-protected-resource',
    run: (ctx) => describe(ctx, ''),
  }),
  'oauth.protectedMcpServer': systemAction({
    ...common,
    summary: 'Get the metadata of the MCP server',
    description: 'Where MCP clients get tokens (RFC 9728).',
    http: 'GET /.well-known/oauth-protected-resource/mcp',
    run: (ctx) => describe(ctx, '/mcp'),
  }),
};
