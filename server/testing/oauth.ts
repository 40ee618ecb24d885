import type { Person } from './accounts.ts';
import type { TestAnswer, TestPlatform } from './platform.ts';

type Fields = Record<string, string> | [string, string][];

/** Posts a form, as OAuth clients do. */
export function postForm(
  { request }: Pick<TestPlatform, 'request'>,
  url: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  return request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
}

/** The header in which a client shows its secret. */
export function basic(id: string, secret: string): { authorization: string } {
  const pair = [id, secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

export interface TestClient {
  readonly id: string;
  readonly secret: string;
  /** For its secret, in the body. */
  token(on: Pick<TestPlatform, 'request'>, scope?: string): Promise<TestAnswer>;
}

/** An API client that somebody makes in the tenant it is in. */
export async function makeClient(owner: Person, scopes: readonly string[], name = 'Shop window'): Promise<TestClient> {
  const { status, body } = await owner.post('/api/v1/api-clients', { name, scopes });
  if (status !== 201) throw new Error(`no API client: ${JSON.stringify(body)}`);
  const { id } = body.api_client;
  const secret = body.client_secret;
  return {
    id,
    secret,
    token: (on, scope) =>
      postForm(on, '/oauth/token', {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        ...(scope === undefined ? {} : { scope }),
      }),
  };
}
