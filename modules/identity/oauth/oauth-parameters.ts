import { refuse } from './oauth-errors.ts';

export type Parameters = Readonly<Record<string, string | undefined>>;

/** A parameter without a value counts as omitted (RFC 6749, 3.2). */
export function readParameters(input: object): Parameters {
  const parameters: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    if (Array.isArray(value)) throw refuse('invalid_request', { reason: 'a parameter is given more than once' });
    if (typeof value !== 'string') throw refuse('invalid_request', { reason: 'a parameter is not text' });
    if (value !== '') parameters[name] = value;
  }
  return parameters;
}

export function required(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw refuse('invalid_request', { reason: `${name} is missing` });
  return value;
}
