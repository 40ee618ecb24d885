import { setTimeout as pause } from 'node:timers/promises';
import { ChowkError, type Client } from '@chowk/client';
import type { Command, CommandInput } from '../command.ts';
import { setConfig } from '../config/config-keys.ts';
import type { Environment } from '../environment.ts';
import { ExitError, exitCodes } from '../exit.ts';
import { openBrowser } from '../open-browser.ts';
import { connect } from '../open-client.ts';
import { plainLine } from '../output/plain-text.ts';
import { readLines } from '../read-input.ts';
import { readSettings, type Settings } from '../settings.ts';

export const loginCommand: Command = {
  words: ['login'],
  summary: 'Sign in to a platform',
  description:
    'Shows a code to approve in a browser, on this computer or on another one. With --email, a password is read from the standard input instead. The platform and, if you have only one, the tenant are remembered.',
  options: {
    email: { type: 'string', value: '<address>', help: 'Sign in with an email address and a password.' },
    'password-stdin': { type: 'boolean', help: 'Read the password from the standard input.' },
    otp: { type: 'string', value: '<code>', help: 'The code of two-factor authentication.' },
    browser: {
      type: 'boolean',
      help: 'Open a browser on a terminal; --no-browser only prints the address. Default: true.',
    },
  },
  examples: [
    'chowk login --api-url=https://chowk.example.com',
    'chowk login --email=asha@example.com --password-stdin < password.txt',
  ],
  async run(environment, { options }) {
    const { email } = options;
    if ((email === undefined) !== (options['password-stdin'] === undefined))
      throw new ExitError(exitCodes.usage, 'Give both --email and --password-stdin, or none of them.');
    const settings = { ...(await readSettings(environment, options)), token: undefined };
    warnAboutPlainHttp(environment, settings);
    const client = connect(environment, { ...settings, tenant: undefined });
    if (typeof email === 'string') await signInWithPassword(environment, client, email, options);
    else await signInWithDevice(environment, client, options);
    await remember(environment, client, settings, options);
  },
};

function warnAboutPlainHttp({ stderr }: Environment, { apiUrl }: Settings): void {
  const { protocol, hostname } = new URL(apiUrl);
  if (protocol === 'http:' && !/^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname))
    stderr.write(`Warning: ${apiUrl} is not encrypted. Others on the network can read what you send.\n`);
}

async function signInWithPassword(
  environment: Environment,
  client: Client,
  email: string,
  { otp }: CommandInput['options'],
): Promise<void> {
  const lines = readLines(environment.stdin);
  try {
    const password = (await lines.next()).value;
    if (!password) throw new ExitError(exitCodes.usage, 'The standard input has no password.');
    const first = await client.signIn({ email, password, ...(typeof otp === 'string' && { otp }) });
    if (first.signedIn) return;
    if (!environment.stdin.isTerminal)
      throw new ExitError(
        exitCodes.notSignedIn,
        'This account needs a code too. Repeat the command with --otp=<code>.',
      );
    environment.stderr.write('Code of your authenticator app: ');
    await client.signIn({ email, password, otp: (await lines.next()).value ?? '' });
  } finally {
    // The process would wait for more of a terminal.
    await lines.return(undefined);
  }
}

const clientId = 'chowk-cli';

/** The device grant of RFC 8628. */
async function signInWithDevice(
  environment: Environment,
  client: Client,
  options: CommandInput['options'],
): Promise<void> {
  const { stdout, stderr } = environment;
  const device = await client.oauth.authorizeDevice({ client_id: clientId });
  const address = plainLine(device.verification_uri_complete ?? device.verification_uri);
  stderr.write(`Open ${address}\nand approve the code ${plainLine(device.user_code)}\n`);
  if (stdout.isTerminal && options.browser !== false) openBrowser(environment, address);
  await client.keepTokens(await waitForApproval(environment, client, device));
}

interface Device {
  readonly device_code: string;
  readonly expires_in: number;
  readonly interval?: number | undefined;
}

async function waitForApproval(
  { now }: Environment,
  client: Client,
  { device_code, expires_in, interval = 5 }: Device,
) {
  const end = now().getTime() + expires_in * 1000;
  let seconds = interval;
  while (now().getTime() < end) {
    await pause(seconds * 1000);
    try {
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      return await client.oauth.token({ grant_type, client_id: clientId, device_code });
    } catch (error) {
      const reason = error instanceof ChowkError ? error.body.error : undefined;
      if (reason === 'slow_down') seconds += interval;
      else if (reason === 'access_denied')
        throw new ExitError(exitCodes.refused, 'The sign-in was denied in the browser.');
      else if (reason === 'expired_token') break;
      else if (reason !== 'authorization_pending') throw error;
    }
  }
  throw new ExitError(exitCodes.refused, "The code has expired. Run 'chowk login' again.");
}

async function remember(
  environment: Environment,
  client: Client,
  { apiUrl, tenant }: Settings,
  options: CommandInput['options'],
): Promise<void> {
  const { email, tenants } = await client.auth.me();
  await setConfig(environment, apiUrl, 'api_url', apiUrl);
  const ids = tenants.map(({ id }) => id);
  const chosen =
    typeof options.tenant === 'string'
      ? options.tenant
      : ids.includes(tenant ?? '')
        ? tenant
        : ids.length === 1
          ? ids[0]
          : undefined;
  await setConfig(environment, apiUrl, 'tenant', chosen ?? '');
  if (options.quiet) return;
  environment.stderr.write(plainLine(`Signed in to ${apiUrl} as ${email}.`));
  if (chosen) environment.stderr.write(` Commands use the tenant ${plainLine(chosen)}.\n`);
  else if (ids.length > 1)
    environment.stderr.write(`\nChoose a tenant with 'chowk use <tenant>': ${plainLine(ids.join(', '))}.\n`);
  else environment.stderr.write('\n');
}
