import { Failure } from '@chowk/kit';
import { fail } from '../errors.ts';

/** The errors of RFC 6749, 7591, 8628 and 8707. */
export const oauthErrors = [
  ...(['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope'] as const),
  ...(['unauthorized_client', 'unsupported_grant_type'] as const),
  ...(['unsupported_response_type', 'invalid_target', 'invalid_redirect_uri', 'invalid_client_metadata'] as const),
  ...(['authorization_pending', 'slow_down', 'access_denied', 'expired_token'] as const),
];
type OAuthError = (typeof oauthErrors)[number];

/** A failure for OAuth clients. Details must be ASCII, as the RFC requires of a description. */
export function refuse(error: OAuthError, details: Record<string, unknown> = {}): Failure {
  const { message } = fail(`identity.${error}`, details);
  return fail(`identity.${error}`, details, { body: { error, error_description: message } });
}

/** For a client that used the Authorization header (RFC 6749, 5.2). */
export function refuseBasic(): Failure {
  const { code, message, extras } = refuse('invalid_client');
  const headers = { 'WWW-Authenticate': 'Basic realm="oauth", charset="UTF-8"' };
  return new Failure(code, 401, message, { ...extras, headers });
}

/** Whether a device polls before its user has decided, which is not a failure. */
export function isPending({ code }: Failure): boolean {
  return code === 'identity.authorization_pending' || code === 'identity.slow_down';
}
