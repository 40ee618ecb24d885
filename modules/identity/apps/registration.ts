import { named, type Static, type SystemCtx, Type } from '@chowk/kit';
import { refuse } from '../oauth/oauth-errors.ts';
import { listPermissionNames } from '../oauth/oauth-scopes.ts';
import { RedirectUris } from './app-schemas.ts';
import { appGrantTypes, insertApp } from './apps.ts';
import { redirectUriProblem } from './redirect-uris.ts';

const maxNameLength = 100;

export const ClientMetadata = named(
  'ClientMetadata',
  Type.Object({
    redirect_uris: RedirectUris,
    client_name: Type.Optional(
      Type.String({
        maxLength: maxNameLength,
        description: 'The name that users see, marked as not verified.',
        examples: ['Notebook agent'],
      }),
    ),
    scope: Type.Optional(
      Type.String({ description: 'The permissions that the app may request, separated by spaces. Default: all.' }),
    ),
  }),
);

export const RegisteredClient = named(
  'RegisteredClient',
  Type.Object({
    client_id: Type.String(),
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970.' }),
    client_name: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.Literal('none'),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    scope: Type.String(),
  }),
);

/** RFC 7591. Other metadata is replaced, as the response shows: such a client always acts as a user and has no secret. */
export async function registerClient(ctx: SystemCtx, input: object): Promise<Static<typeof RegisteredClient>> {
  const { redirect_uris: uris, client_name: name = 'Unnamed app', scope } = input as Record<string, unknown>;
  const redirectUris = readRedirectUris(uris);
  if (typeof name !== 'string' || !/^[^\p{C}]{1,100}$/u.test(name)) {
    throw refuse('invalid_client_metadata', {
      reason: `client_name must be one line of at most ${maxNameLength} characters`,
    });
  }
  if (scope !== undefined && typeof scope !== 'string') {
    throw refuse('invalid_client_metadata', { reason: 'scope must be text' });
  }
  const known = await listPermissionNames(ctx.central);
  const requested = (scope ?? '').split(' ').filter((one) => known.includes(one));
  const scopes = requested.length > 0 ? [...new Set(requested)] : known;
  const id = ctx.newId();
  const app = { id, name, redirect_uris: redirectUris, scopes, acts_as: 'user' as const };
  await insertApp(ctx.central, { ...app, tenantId: null, createdBy: null, client_secret: null });
  return {
    client_id: id,
    client_id_issued_at: Math.floor(ctx.now().getTime() / 1_000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: appGrantTypes,
    response_types: ['code'],
    scope: scopes.join(' '),
  };
}

function readRedirectUris(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > 10) {
    throw refuse('invalid_redirect_uri', { reason: 'There must be 1 to 10.' });
  }
  for (const uri of uris) {
    const problem = typeof uri === 'string' && uri.length <= 2_000 ? redirectUriProblem(uri) : 'It must be text.';
    if (problem !== undefined) throw refuse('invalid_redirect_uri', { reason: problem });
  }
  return uris;
}
