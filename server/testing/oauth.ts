import type { Person } from './accounts.ts';
import type { TestPlatform, TestResponse } from './platform.ts';

type Fields = Record<string, string> | [string, string][];

/** Posts a form, as OAuth clients do. */
export function postForm(
  { request }: Pick<TestPlatform, 'request'>,
  url: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
}

/** The Authorization header of a client. */
export function basic(id: string, secret: string): { authorization: string } {
  const pair = [id, secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

export interface TestClient {
  readonly id: string;
  readonly secret: string;
  /** Requests a token with the secret in the body. */
  token(platform: Pick<TestPlatform, 'request'>, scope?: string): Promise<TestResponse>;
}

/** Creates an API client in the tenant of the owner. */
export async function makeClient(owner: Person, scopes: readonly string[], name = 'Shop window'): Promise<TestClient> {
  const { status, body } = await owner.post('/api/v1/api-clients', { name, scopes });
  if (status !== 201) throw new Error(`cannot create an API client: ${JSON.stringify(body)}`);
  const { id } = body.api_client;
  const secret = body.client_secret;
  return {
    id,
    secret,
    token: (platform, scope) =>
      postForm(platform, '/oauth/token', {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        ...(scope === undefined ? {} : { scope }),
      }),
  };
}
