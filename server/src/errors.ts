import { commonErrors, defineErrors, invalid } from '@chowk/kit';

/** The kernel's failures. `docs/errors.md` lists the same ones. */
export const kernelErrors = {
  'http.malformed_json': { status: 400, message: 'The request body is not valid JSON.' },
  'http.bad_request': { status: 400, message: 'The request could not be understood.' },
  ...commonErrors,
  'http.method_not_allowed': { status: 405, message: '{method} is not possible here; use {allowed}.' },
  'http.idempotency_busy': { status: 409, message: 'A request with this Idempotency-Key is still being handled.' },
  'http.idempotency_mismatch': {
    status: 422,
    message: 'This Idempotency-Key was used for another request; use a new key.',
  },
  'http.too_large': { status: 413, message: 'The request body is larger than the {limit} bytes allowed.' },
  'http.unsupported_media_type': { status: 415, message: 'Send the body as {type}.' },
  'http.unstorable': { status: 422, message: 'The given data contains a value that cannot be stored.' },
  'http.too_many_requests': { status: 429, message: 'Too many requests; try again in {seconds} seconds.' },
  'http.internal': { status: 500, message: 'Something went wrong on our side. Quote the request id when you ask us.' },
  'http.shutting_down': { status: 503, message: 'The service is stopping; try again in a moment.' },
  'auth.unauthenticated': { status: 401, message: 'Sign in first: send a valid bearer token.' },
  'auth.not_a_member': { status: 403, message: 'You are not a member of this tenant.' },
  'auth.password_exposed': {
    status: 403,
    message: 'Another person may know your password. Choose a new one with the link that was mailed to you.',
  },
  'auth.no_account': { status: 403, message: 'This needs an account, and API clients have none.' },
  'tenancy.required': {
    status: 400,
    message: "Say which tenant this is for: use the tenant's subdomain or the X-Tenant header.",
  },
  'tenancy.ambiguous': { status: 400, message: 'The host and the X-Tenant header name different tenants.' },
  'tenancy.bad_host': { status: 400, message: 'The request must carry exactly one valid Host header.' },
  'tenancy.unknown': { status: 404, message: 'There is no such tenant.' },
  'tenancy.domain_not_found': { status: 404, message: 'There is no domain {domain} here.' },
  'tenancy.domain_permanent': { status: 409, message: 'The domain {domain} cannot be removed.' },
  'modules.not_installed': { status: 404, message: 'The module {module} is not enabled for this tenant.' },
  'bus.not_declared': { status: 403, message: 'The module {caller} has not declared that it calls {name}.' },
  'bus.rate_limited': { status: 429, message: 'Too many calls of {name}; try again in {seconds} seconds.' },
  'bus.too_deep': { status: 508, message: 'The call of {name} goes round in circles.' },
  'events.not_declared': { status: 500, message: 'The module {module} has not declared that it emits {name}.' },
  'db.unavailable': { status: 503, message: 'The database cannot be reached; try again in a moment.' },
  'http.too_many_downloads': {
    status: 429,
    message: 'Too many files are being downloaded at once; try again when one of them is done.',
  },
  'db.busy': { status: 503, message: 'All database connections are in use; try again in a moment.' },
  'db.too_slow': { status: 503, message: 'The database took too long to answer; try again in a moment.' },
} as const;

export const fail = defineErrors(kernelErrors);

export { invalid };
