import { createHash, randomBytes } from 'node:crypto';
import type { Person } from './accounts.ts';
import { postForm } from './oauth.ts';
import type { TestPlatform, TestResponse } from './platform.ts';

export interface TestApp {
  readonly id: string;
  readonly secret: string | undefined;
  readonly redirectUri: string;
}

/** Registers an app in the tenant of the owner. */
export async function makeApp(owner: Person, changes: Record<string, unknown> = {}): Promise<TestApp> {
  const redirectUri = 'https://ledger.example.com/callback';
  const fields = {
    name: 'Ledger sync',
    redirect_uris: [redirectUri],
    scopes: ['settings.view', 'settings.domains'],
    acts_as: 'user',
    has_secret: false,
    ...changes,
  };
  const { status, body } = await owner.post('/api/v1/apps', fields);
  if (status !== 201) throw new Error(`cannot register an app: ${JSON.stringify(body)}`);
  return { id: body.app.id, secret: body.client_secret ?? undefined, redirectUri: body.app.redirect_uris[0] };
}

/** A verifier and the request of an app that has its challenge. */
export function authorizationRequest({ id, redirectUri }: TestApp, changes: Record<string, string | undefined> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const request: Record<string, string | undefined> = {
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 'xyz',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  return { verifier, request };
}

/** Approves the request as the user does on the page, and returns the parameters that the app gets. */
export async function approve(
  user: Person,
  request: Record<string, string | undefined>,
  scopes: readonly string[] = ['settings.view'],
): Promise<URLSearchParams> {
  const { status, body } = await user.post('/api/v1/app-requests/approve', { ...request, approved_scopes: scopes });
  if (status !== 200) throw new Error(`cannot approve the app: ${JSON.stringify(body)}`);
  return new URL(body.redirect_to).searchParams;
}

export function exchangeCode(
  platform: Pick<TestPlatform, 'request'>,
  app: TestApp,
  { code, verifier, ...changes }: { code: string; verifier: string; [name: string]: string },
): Promise<TestResponse> {
  return postForm(platform, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.id,
    ...(app.secret === undefined ? {} : { client_secret: app.secret }),
    redirect_uri: app.redirectUri,
    code,
    code_verifier: verifier,
    ...changes,
  });
}

/** The tokens of an app that the user has just approved. */
export async function connectApp(
  platform: Pick<TestPlatform, 'request'>,
  user: Person,
  app: TestApp,
  scopes?: readonly string[],
): Promise<TestResponse> {
  const { verifier, request } = authorizationRequest(app);
  const parameters = await approve(user, request, scopes);
  return exchangeCode(platform, app, { code: parameters.get('code') ?? '', verifier });
}
