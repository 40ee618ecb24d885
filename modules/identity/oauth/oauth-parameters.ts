import { Type } from '@chowk/kit';
import { refuse } from './oauth-errors.ts';

export type Parameters = Readonly<Record<string, string | undefined>>;

/** What an OAuth endpoint is asked. */
export interface OAuthRequest {
  readonly parameters: Parameters;
  readonly authorization: string | string[] | undefined;
}

/**
 * Describes parameters without checking them: what is wrong with them is told in the words of the RFC and not as field
 * errors, and parameters that nobody knows are to be ignored.
 */
export function describe(parameters: Readonly<Record<string, string>>) {
  const properties = Object.entries(parameters).map(([name, description]) => [name, { description }]);
  return Type.Unsafe<unknown>({ properties: Object.fromEntries(properties), additionalProperties: {} });
}

/** A parameter without a value counts as left out (RFC 6749, 3.2). */
export function readParameters(body: unknown): Parameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refuse('invalid_request', { reason: 'the body is no set of parameters' });
  }
  const parameters: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(body)) {
    if (Array.isArray(value)) throw refuse('invalid_request', { reason: 'a parameter is given more than once' });
    if (typeof value !== 'string') throw refuse('invalid_request', { reason: 'a parameter is no text' });
    if (value !== '') parameters[name] = value;
  }
  return parameters;
}

export function required(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw refuse('invalid_request', { reason: `${name} is missing` });
  return value;
}
