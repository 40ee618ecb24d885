import { isIP } from 'node:net';
import { type Ctx, Failure } from '@chowk/kit';
import type { ImapFlow } from 'imapflow';
import type { ImapField } from './schemas.ts';

/** How to reach a mailbox. */
export interface Account {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly username: string;
  readonly password: string;
}

/** Why a mailbox cannot be used, in words for its owner. */
export class MailboxProblem extends Error {
  readonly field: ImapField | null;

  constructor(field: ImapField | null, message: string, cause?: unknown) {
    super(message, { cause });
    this.field = field;
  }
}

/** The largest mail that is fetched. */
export const maxMailBytes = 25 * 1_024 * 1_024;
const connectTimeoutMs = 10_000;
const idleTimeoutMs = 30_000;
const megabyte = 1_024 * 1_024;

/** Connects, signs in, passes on what `work` reads, and disconnects. Throws a `MailboxProblem` if the server fails. */
export async function* withConnection<Item>(
  ctx: Ctx,
  account: Account,
  { limitMs }: { readonly limitMs: number },
  work: (client: ImapFlow) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const client = await createClient(ctx, account);
  // The consumer may be slow, but the server may not.
  const timer = setTimeout(() => client.close(), limitMs);
  try {
    await client.connect();
    yield* work(client);
    await client.logout();
  } catch (error) {
    throw toProblem(error, account);
  } finally {
    clearTimeout(timer);
    client.close();
  }
}

async function createClient(ctx: Ctx, account: Account): Promise<ImapFlow> {
  const { host, port, security, username, password } = account;
  const { address } = await locate(ctx, account);
  // Loaded only when it is needed.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host: address,
    ...(isIP(host) === 0 && { servername: host }),
    port,
    secure: security === 'tls',
    ...(security !== 'tls' && { doSTARTTLS: security === 'starttls' }),
    auth: { user: username, pass: password },
    clientInfo: { name: 'Chowk' },
    logger: false,
    disableAutoIdle: true,
    // A few bytes could become many.
    disableCompression: true,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: idleTimeoutMs,
    maxLineLength: 4 * megabyte,
    maxLiteralSize: maxMailBytes + megabyte,
    maxResponseSize: maxMailBytes + 5 * megabyte,
  });
  // Failures reach the commands; without a listener they would end the process.
  client.on('error', () => {});
  return client;
}

/** The address to connect to. Throws if the host may not be reached, or not without TLS. */
export async function locate(ctx: Ctx, account: Pick<Account, 'host' | 'port' | 'security'>) {
  try {
    const located = await ctx.http.locate(account);
    if (account.security === 'none' && !located.isAllowed) {
      throw new MailboxProblem('security', 'The connection must be encrypted: choose TLS or STARTTLS.');
    }
    return located;
  } catch (error) {
    throw error instanceof Failure ? new MailboxProblem('host', error.message, error) : error;
  }
}

/** What the errors of imapflow, of Node and of the server carry. */
interface ClientError extends Error {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly responseStatus?: string;
  readonly responseText?: string;
  readonly serverResponseCode?: string;
}

const certificateCodes = /CERT|SIGNATURE|_TLS_|_SSL_|^UNABLE_TO/;

function toProblem(thrown: unknown, { host, port }: Account): MailboxProblem {
  if (thrown instanceof MailboxProblem) return thrown;
  const error = thrown as ClientError;
  const { code = '', responseStatus } = error;
  const problem = (field: ImapField | null, message: string) => new MailboxProblem(field, message, error);
  if (error.authenticationFailed && responseStatus) return refusedLogin(error);
  if (responseStatus) return problem(null, `The server refuses: ${serverText(error)}`);
  if (/STARTTLS/.test(error.message)) return problem('security', `${host} does not offer STARTTLS at port ${port}.`);
  switch (code) {
    case 'ECONNREFUSED':
      return problem('port', `${host} refuses connections at port ${port}.`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return problem('host', `${host} cannot be reached.`);
    case 'CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return problem('port', `${host} does not answer at port ${port}.`);
    case 'GREETING_TIMEOUT':
    case 'ClosedAfterConnectText':
    case 'ClosedAfterConnectTLS':
      return problem('port', `${host} does not answer as a mail server at port ${port}. Check port and security.`);
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return problem('security', `${host} does not begin with TLS at port ${port}: choose STARTTLS or another port.`);
    default:
      if (certificateCodes.test(code)) return problem('host', `The certificate of ${host} is not valid (${code}).`);
      return problem(null, `The connection to ${host} failed (${code || error.name}).`);
  }
}

const appPassword = 'Some providers want an app password instead of your own.';

function refusedLogin(error: ClientError): MailboxProblem {
  if (error.serverResponseCode === 'UNAVAILABLE') return new MailboxProblem(null, serverText(error), error);
  return new MailboxProblem('password', `The server refuses the user name or the password. ${appPassword}`, error);
}

const maxServerText = 200;

function serverText({ responseText, message }: ClientError): string {
  return (responseText ?? message).replace(/\p{Cc}+/gu, ' ').slice(0, maxServerText);
}
