import { timingSafeEqual } from 'node:crypto';
import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { hashSecret } from '../secret-tokens.ts';
import { refuse, refuseBasic } from './oauth-errors.ts';
import type { Parameters } from './oauth-parameters.ts';

/** A program that may request tokens. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  /** The service user of an API client; `null` for the programs of the platform, which act as their user. */
  readonly user_id: number | null;
  readonly secret_hash: Buffer | null;
  readonly secret_expires_at: string | null;
  readonly grants: readonly string[];
  readonly scopes: readonly string[] | null;
}

interface Credentials {
  readonly id: string;
  readonly secret: string | undefined;
}

/** Throws unless the client exists and sends its secret, if it has one. */
export async function authenticateClient(ctx: SystemCtx, parameters: Parameters): Promise<OAuthClient> {
  const { central, client } = ctx;
  const basic = /^Basic(?: +(.*))?$/i.exec(client.header('authorization') ?? '');
  const refusal = basic ? refuseBasic : () => refuse('invalid_client');
  const credentials = basic ? fromHeader(basic[1] ?? '', parameters) : fromBody(parameters);
  // PostgreSQL rejects NUL characters.
  if (!credentials || !/^[\x20-\x7e]+$/.test(credentials.id)) throw refusal();
  const oauthClient = await findClient(central, credentials.id);
  if (!oauthClient || isExpired(ctx, oauthClient) || !hasSecret(oauthClient, credentials.secret)) throw refusal();
  return oauthClient;
}

export function mustHaveGrant(client: OAuthClient, grant: string): void {
  if (!client.grants.includes(grant)) throw refuse('unauthorized_client');
}

function fromBody({ client_id: id, client_secret: secret }: Parameters): Credentials | undefined {
  return id === undefined ? undefined : { id, secret };
}

/** Id and secret are each form-encoded (RFC 6749, 2.3.1). */
function fromHeader(encoded: string, { client_id, client_secret }: Parameters): Credentials | undefined {
  if (client_secret !== undefined) {
    throw refuse('invalid_request', { reason: 'the secret is sent twice' });
  }
  const [, encodedId, encodedSecret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const id = decodeForm(encodedId);
  const secret = decodeForm(encodedSecret);
  if (id === undefined || secret === undefined) return undefined;
  if (client_id !== undefined && client_id !== id) {
    throw refuse('invalid_request', { reason: 'header and body name different clients' });
  }
  return { id, secret: secret === '' ? undefined : secret };
}

function decodeForm(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function hasSecret({ secret_hash }: OAuthClient, secret: string | undefined): boolean {
  if (!secret_hash || secret === undefined) return !secret_hash && secret === undefined;
  return timingSafeEqual(hashSecret(secret), secret_hash);
}

function isExpired(ctx: SystemCtx, { secret_expires_at }: OAuthClient): boolean {
  return secret_expires_at !== null && Date.parse(secret_expires_at) <= ctx.now().getTime();
}

function findClient(db: Db, id: string): Promise<OAuthClient | undefined> {
  return db.row<OAuthClient>(sql`
    SELECT id, name, user_id, secret_hash, secret_expires_at, grants, scopes FROM oauth_clients WHERE id = ${id}`);
}
