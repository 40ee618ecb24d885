import { type Static, type SystemCtx, sql, Type } from '@chowk/kit';
import { fail } from '../errors.ts';
import { refuse } from '../oauth/oauth-errors.ts';
import type { Parameters } from '../oauth/oauth-parameters.ts';
import { mustBeWithin, readScopes } from '../oauth/oauth-scopes.ts';

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

/** The parameters of RFC 6749, 7636 and 8707. */
export const AuthorizationParameters = Type.Object({
  client_id: text(64, 'The id of the app.'),
  redirect_uri: text(2_000, 'One of the redirect URIs of the app, exactly as it is registered.'),
  response_type: text(50, '`code`.'),
  scope: text(10_000, 'Permissions, separated by spaces. Default: all that the app may ask for.'),
  state: text(2_000, 'Is sent back as it is.'),
  code_challenge: text(200, 'The SHA-256 of the verifier, in base64url.'),
  code_challenge_method: text(10, '`S256`.'),
  resource: text(2_000, 'The address of the API or MCP server that the token is for. It may name the organization.'),
});
export type AuthorizationParameters = Static<typeof AuthorizationParameters>;

export interface RequestingApp {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly acts_as: 'user' | 'organization';
  readonly publisher: string | null;
  readonly redirect_uris: readonly string[];
}

export interface AuthorizationRequest {
  readonly app: RequestingApp;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly challenge: string;
  /** The label of the tenant that `resource` names. */
  readonly tenantLabel: string | undefined;
}

/** Throws unless the app is known and the redirect URI is its own. Until then, no redirect is allowed. */
export async function findRequestingApp(ctx: SystemCtx, parameters: Parameters): Promise<RequestingApp> {
  const { client_id: id = '', redirect_uri: uri = '' } = parameters;
  const app = /^[\x20-\x7e]{1,64}$/.test(id)
    ? await ctx.central.row<RequestingApp>(sql`
        SELECT a.id, c.name, c.scopes, a.acts_as, a.redirect_uris, t.name AS publisher
        FROM apps a JOIN oauth_clients c ON c.id = a.id LEFT JOIN tenants t ON t.id = a.tenant_id
        WHERE a.id = ${id}`)
    : undefined;
  if (!app) throw fail('identity.unknown_app');
  if (!app.redirect_uris.includes(uri)) throw fail('identity.wrong_redirect_uri');
  return app;
}

/** Throws a failure of RFC 6749 if the app has sent a wrong request. */
export function readRequest(ctx: SystemCtx, app: RequestingApp, parameters: Parameters): AuthorizationRequest {
  const { response_type, response_mode = 'query', code_challenge: challenge = '', code_challenge_method } = parameters;
  if (response_type === undefined) throw refuse('invalid_request', { reason: 'response_type is missing' });
  if (response_type !== 'code') throw refuse('unsupported_response_type');
  if (response_mode !== 'query') throw refuse('invalid_request', { reason: 'response_mode must be query' });
  if (code_challenge_method !== 'S256') {
    throw refuse('invalid_request', { reason: 'code_challenge_method must be S256' });
  }
  if (!/^[\w-]{43}$/.test(challenge)) throw refuse('invalid_request', { reason: 'code_challenge is missing or wrong' });
  const scopes = readScopes(parameters.scope) ?? app.scopes;
  mustBeWithin(scopes, app.scopes);
  const tenantLabel = readResource(ctx, parameters.resource);
  return { app, redirectUri: parameters.redirect_uri as string, scopes, challenge, tenantLabel };
}

/** The tenant of an address of this platform (RFC 8707): `https://acme.example.com/mcp`. */
function readResource({ system }: SystemCtx, resource: string | undefined): string | undefined {
  if (resource === undefined) return undefined;
  const url = URL.parse(resource);
  if (!url || !system.isOwnHost({ host: url.host }) || resource.includes('#')) throw refuse('invalid_target');
  const suffix = `.${system.baseDomain}`;
  const { hostname } = url;
  if (!hostname.endsWith(suffix) || hostname === new URL(system.url).hostname) return undefined;
  return hostname.slice(0, -suffix.length).split('.')[0];
}
