import { ChowkError, NetworkError, TimeoutError } from '@chowk/client';
import type { Command } from './command.ts';
import { optionName } from './derived/derived-command.ts';
import type { Environment } from './environment.ts';
import { type ExitCode, ExitError, exitCodes } from './exit.ts';
import { plainText } from './output/plain-text.ts';
import { parseInput } from './parse.ts';
import { readSettings } from './settings.ts';

interface Failed {
  readonly command: Command | undefined;
  readonly args: readonly string[];
}

/** Tells the user what is wrong and what to do. Returns the exit code. */
export async function reportError(environment: Environment, error: unknown, failed: Failed): Promise<ExitCode> {
  const { code, lines } = await describeError(environment, error, failed);
  environment.stderr.write(`${plainText(lines.filter((line) => line !== '').join('\n'))}\n`);
  if (environment.variables.CHOWK_DEBUG && error instanceof Error) environment.stderr.write(`${error.stack}\n`);
  return code;
}

interface Explanation {
  readonly code: ExitCode;
  readonly lines: readonly string[];
}

async function describeError(environment: Environment, error: unknown, failed: Failed): Promise<Explanation> {
  if (error instanceof ExitError) return { code: error.code, lines: [error.message] };
  if (error instanceof ChowkError) return explainResponse(environment, error, failed.command);
  if (error instanceof NetworkError || error instanceof TimeoutError) {
    const reason = error instanceof TimeoutError ? 'it did not answer in time' : networkReason(error);
    const address = await platformAddress(environment, failed);
    const advice = "Check your connection and the address ('chowk config get api_url').";
    return { code: exitCodes.network, lines: [`Cannot reach ${address}: ${reason}.`, advice] };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: exitCodes.general, lines: [fileMessage(error) ?? message] };
}

function explainResponse({ variables }: Environment, error: ChowkError, command: Command | undefined): Explanation {
  const { status, message, requestId, retryAfter } = error;
  if (status === 401) {
    const advice = variables.CHOWK_TOKEN
      ? 'The token in CHOWK_TOKEN is not valid (any more).'
      : "Sign in with 'chowk login'.";
    const isSession = error.code === 'auth.unauthenticated';
    return { code: exitCodes.notSignedIn, lines: [isSession ? 'You are not signed in.' : message, advice] };
  }
  if (status >= 500) {
    const advice = `Try again later.${requestId ? ` If it persists, tell the operator the request id ${requestId}.` : ''}`;
    return { code: exitCodes.server, lines: [message, advice] };
  }
  const fields = fieldLines(error, command);
  const problem = fields.length > 0 ? ['The platform does not accept the input:', ...fields] : [message];
  return { code: exitCodes.refused, lines: [...problem, advice(error.code, retryAfter)] };
}

function advice(code: string | undefined, retryAfter: number | undefined): string {
  if (retryAfter !== undefined) return `Try again in ${retryAfter} seconds.`;
  switch (code) {
    case 'tenancy.required':
    case 'tenancy.unknown':
    case 'auth.not_a_member':
      return "List your tenants with 'chowk tenants' and choose one with 'chowk use <tenant>' or --tenant.";
    case 'auth.forbidden':
      return 'Ask an owner or admin of the tenant for the permission.';
    default:
      return '';
  }
}

/** What is wrong with each field, by the option or argument that gave it. */
function fieldLines({ fields }: ChowkError, command: Command | undefined): string[] {
  return Object.entries(fields).flatMap(([field, problems]) =>
    problems.map(({ message }) => `  ${inputName(field, command)}: ${message}`),
  );
}

function inputName(field: string, { arguments: args = [], options = {} }: Partial<Command> = {}): string {
  // `items.0.price` is a part of `--items`.
  const parts = field.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('.');
    const rest = parts.slice(length).join('.');
    const option = optionName(name);
    if (option in options) return `--${option}${rest && ` (${rest})`}`;
    if (args.some((argument) => argument.name === option)) return `<${option}>${rest && ` (${rest})`}`;
  }
  return field;
}

function networkReason({ cause }: Error): string {
  const { code, message } = deepestCause(cause) as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
    case 'ConnectionRefused':
      return 'nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no such host, or no connection to the network';
    default:
      return cause instanceof SyntaxError
        ? 'the response is not one of Chowk'
        : (message ?? 'the connection was lost').replace(/\.$/, '');
  }
}

function deepestCause(error: unknown): unknown {
  const { cause, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown[] };
  if (cause) return deepestCause(cause);
  return errors?.[0] ?? error ?? {};
}

function fileMessage(error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || path === undefined) return undefined;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'you may not do that',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is not a folder',
    EEXIST: 'it exists already',
    ENOSPC: 'there is no space left',
    EROFS: 'the file system is read-only',
  };
  return `Cannot ${syscall} ${path}: ${reasons[code ?? ''] ?? code}.`;
}

async function platformAddress(environment: Environment, { command, args }: Failed): Promise<string> {
  try {
    const input = command && parseInput(command, args);
    return (await readSettings(environment, input?.options)).apiUrl;
  } catch {
    return 'the platform';
  }
}
