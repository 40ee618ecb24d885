import {
  Answer,
  Failure,
  forbidden,
  type Issues,
  Nullable,
  named,
  type Static,
  type SystemCtx,
  sql,
  Type,
} from '@chowk/kit';
import { mustHold } from '../accounts/permissions.ts';
import { fail } from '../errors.ts';
import { type Parameters, readParameters } from '../oauth/oauth-parameters.ts';
import { type Confirmation, checkConfirmation } from '../profile/own-session.ts';
import { saveGrant } from './app-grants.ts';
import { NewApp, Publisher } from './app-schemas.ts';
import { createCode } from './authorization-codes.ts';
import {
  AuthorizationParameters,
  type AuthorizationRequest,
  findRequestingApp,
  readRequest,
} from './authorization-request.ts';
import { addParameters } from './redirect-uris.ts';

export const AppRequest = named(
  'AppRequest',
  Type.Object({
    app: Type.Object({ id: Type.String(), name: Type.String(), publisher: Publisher }),
    acts_as: NewApp.properties.acts_as,
    scopes: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        is_sensitive: Type.Boolean(),
        is_held: Type.Boolean({ description: 'Whether the user holds it in the tenant of the call.' }),
      }),
      { description: 'The permissions that it asks for.' },
    ),
    redirect_host: Type.String({ description: 'Where the user is sent after the decision.' }),
    tenant: Nullable(Type.String({ description: 'The organization that the request names.' })),
  }),
);
type AppRequest = Static<typeof AppRequest>;

/**
 * The authorization endpoint of RFC 6749. A correct request leads to the page of the console that asks the user. A wrong one
 * returns to the app, except one that registered itself: anyone could use the platform to send people to any address.
 */
export async function beginAuthorization(ctx: SystemCtx, input: object): Promise<Answer> {
  const parameters = readParameters(input);
  const app = await findRequestingApp(ctx, parameters);
  try {
    readRequest(ctx, app, parameters);
  } catch (error) {
    if (!(error instanceof Failure) || app.publisher === null) throw error;
    return redirect(errorUrl(ctx, parameters, error));
  }
  return redirect(addParameters('/authorize', pickKnown(parameters)));
}

function pickKnown(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.keys(AuthorizationParameters.properties).map((name) => [name, parameters[name]]));
}

/** What a browser gets for a request that cannot be returned to an app. */
export async function showProblem(_: unknown, { code, status }: Failure): Promise<Answer | undefined> {
  return status < 500 ? redirect(addParameters('/authorize', { problem: code })) : undefined;
}

function redirect(location: string): Answer {
  return new Answer('', { status: 302, headers: { location } });
}

/** What the user is asked. */
export async function previewRequest(ctx: SystemCtx, input: AuthorizationParameters): Promise<AppRequest> {
  const { app, redirectUri, scopes, tenantLabel } = await readAll(ctx, input);
  const { id, name, publisher, acts_as } = app;
  const url = new URL(redirectUri);
  return {
    app: { id, name, publisher },
    acts_as,
    scopes: scopes.map((name) => describeScope(ctx, name)),
    redirect_host: url.host === '' ? url.protocol : url.host,
    tenant: tenantLabel === undefined ? null : ((await findTenant(ctx, tenantLabel)) ?? null),
  };
}

function describeScope(ctx: SystemCtx, name: string): AppRequest['scopes'][number] {
  const permission = ctx.system.permissions.find((one) => one.name === name);
  return {
    name,
    description: permission?.description ?? name,
    is_sensitive: permission?.isSensitive ?? false,
    is_held: ctx.tenantId !== undefined && ctx.can(name),
  };
}

interface Approval extends AuthorizationParameters, Confirmation {
  readonly approved_scopes: readonly string[];
}

export async function checkApproval(
  ctx: SystemCtx,
  { approved_scopes = [], password, otp, ...parameters }: Partial<Approval>,
  issues: Issues,
): Promise<void> {
  const { scopes } = await readAll(ctx, parameters);
  for (const [index, name] of approved_scopes.entries()) {
    if (!scopes.includes(name))
      issues.add(`approved_scopes.${index}`, `The app does not ask for ${name}.`, 'not_allowed');
  }
  await checkConfirmation(ctx, { password, otp }, issues);
}

/** Returns the address that continues in the app. */
export async function approveRequest(
  ctx: SystemCtx,
  { approved_scopes, ...input }: Approval,
): Promise<{ redirect_to: string }> {
  const request = await readAll(ctx, input);
  if (ctx.tenantId === undefined) throw fail('identity.no_organization');
  await mustBeNamedTenant(ctx, request);
  if (request.app.acts_as === 'organization') {
    if (!ctx.can('settings.api_clients')) throw forbidden('settings.api_clients');
    mustHold(ctx, { field: 'approved_scopes', names: approved_scopes, refusal: 'identity.scope_not_held' });
  }
  const code = await ctx.central.tx(async (tx) => {
    const grantId = await saveGrant(ctx, tx, request.app, approved_scopes);
    return createCode(ctx, tx, { ...request, grantId, scopes: approved_scopes });
  });
  return { redirect_to: addParameters(request.redirectUri, { code, ...responseParameters(ctx, input) }) };
}

export async function denyRequest(ctx: SystemCtx, input: AuthorizationParameters): Promise<{ redirect_to: string }> {
  await readAll(ctx, input);
  return { redirect_to: errorUrl(ctx, input, fail('identity.access_denied')) };
}

async function readAll(ctx: SystemCtx, input: AuthorizationParameters): Promise<AuthorizationRequest> {
  const parameters = readParameters(input);
  return readRequest(ctx, await findRequestingApp(ctx, parameters), parameters);
}

/** A token for the address of one organization must not be one of another. */
async function mustBeNamedTenant(ctx: SystemCtx, { tenantLabel }: AuthorizationRequest): Promise<void> {
  if (tenantLabel === undefined) return;
  const named = await findTenant(ctx, tenantLabel);
  if (named !== ctx.tenant.id) throw fail('identity.other_organization');
}

async function findTenant({ central }: SystemCtx, label: string): Promise<string | undefined> {
  const row = await central.row<{ tenant_id: string }>(sql`SELECT tenant_id FROM domains WHERE domain = ${label}`);
  return row?.tenant_id;
}

/** The `iss` lets a client of several servers notice a response of another one (RFC 9207). */
function responseParameters({ system }: SystemCtx, { state }: { readonly state?: string | undefined }) {
  return { state, iss: system.url };
}

function errorUrl(ctx: SystemCtx, parameters: Parameters, { code, message }: Failure): string {
  const error = code.replace('identity.', '');
  return addParameters(parameters.redirect_uri as string, {
    error,
    error_description: message,
    ...responseParameters(ctx, parameters),
  });
}
