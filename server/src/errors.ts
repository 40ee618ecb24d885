import { commonErrors, defineErrors, invalid } from '@chowk/kit/kernel';

/** The errors of the kernel. `docs/errors.md` is generated from them. */
export const kernelErrors = {
  'http.unknown_version': {
    status: 400,
    message: 'There is no version {version} of the API. Send one of {versions} in the header API-Version, or none.',
  },
  'http.malformed_json': { status: 400, message: 'The request body is not valid JSON.' },
  'http.bad_request': { status: 400, message: 'The request is malformed.' },
  'http.malformed_form': { status: 400, message: 'The request body is not valid multipart/form-data.' },
  ...commonErrors,
  'http.method_not_allowed': { status: 405, message: 'The method {method} is not allowed here; use {allowed}.' },
  'http.idempotency_busy': {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress; try again in a moment.',
  },
  'http.idempotency_interrupted': {
    status: 409,
    message:
      'The first request with this Idempotency-Key was interrupted; check what it has changed, then use a new key.',
  },
  'http.idempotency_mismatch': {
    status: 422,
    message: 'This Idempotency-Key was used for another request; use a new key.',
  },
  'http.origin_forbidden': { status: 403, message: 'Pages of {origin} may not send this request.' },
  'http.too_large': { status: 413, message: 'The request body is larger than the {limit} bytes allowed.' },
  'http.unsupported_media_type': { status: 415, message: 'Send the body as {type}.' },
  'files.too_large': { status: 413, message: 'The file is larger than the {limit} bytes allowed.' },
  'files.wrong_type': { status: 415, message: 'The file must be {types}; its content is something else.' },
  'files.not_found': { status: 404, message: 'There is no such file.' },
  'files.link_invalid': { status: 403, message: 'The link is invalid or has expired; get a new one.' },
  'http.unstorable': {
    status: 422,
    message: 'The input contains a value that cannot be stored. Remove NUL characters and numbers out of range.',
  },
  'http.bulk_failed': { status: 422, message: 'Nothing was changed, because {failed} of {total} items failed.' },
  'http.not_applied': { status: 424, message: 'Not saved, because another item failed.' },
  'http.too_many_requests': { status: 429, message: 'Too many requests; try again in {seconds} seconds.' },
  'graphql.too_expensive': {
    status: 429,
    message:
      'Your GraphQL operations of the last minute exceed a complexity of {limit} in sum; try again in {seconds} seconds.',
  },
  'http.internal': {
    status: 500,
    message: 'An internal error occurred. Quote the request id when you contact support.',
  },
  'http.shutting_down': { status: 503, message: 'The service is stopping; try again in a moment.' },
  'auth.unauthenticated': { status: 401, message: 'Sign in first: send a valid bearer token.' },
  'auth.not_a_member': { status: 403, message: 'You are not a member of this tenant.' },
  'auth.email_not_verified': {
    status: 403,
    message:
      'Verify your email address first: follow the link that was mailed to you, or request a new one in your profile.',
  },
  'auth.no_account': { status: 403, message: 'This action requires a user account; an API client has none.' },
  'tenancy.required': {
    status: 400,
    message: "The request names no tenant. Use the tenant's subdomain or the X-Tenant header.",
  },
  'tenancy.empty_header': {
    status: 400,
    message: 'The header X-Tenant is empty. Send the id or a domain of the tenant, or leave the header out.',
  },
  'tenancy.ambiguous': {
    status: 400,
    message: 'The host and the X-Tenant header name different tenants; send only one of them.',
  },
  'tenancy.bad_host': { status: 400, message: 'The request must have exactly one valid Host header.' },
  'tenancy.unknown': { status: 404, message: 'There is no such tenant.' },
  'tenancy.suspended': {
    status: 403,
    message: 'This tenant is suspended. Contact the operator of the platform.',
  },
  'tenancy.sandbox_busy': {
    status: 409,
    message: 'The sandbox is being filled or deleted; try again in a moment.',
  },
  'tenancy.moving': {
    status: 503,
    message: 'This tenant is being moved to another database server or restored; try again in a moment.',
  },
  'rings.unreachable': { status: 503, message: 'The ring {ring} cannot be reached; try again in a moment.' },
  'rings.interrupted': {
    status: 502,
    message: 'The ring {ring} ended the connection without a response; check whether the request was carried out.',
  },
  'rings.too_many_hops': {
    status: 503,
    message: 'The request was forwarded too often on its way to the ring {ring}; the operator must check RING_URLS.',
  },
  'tenancy.domain_not_found': { status: 404, message: 'This tenant has no domain {domain}.' },
  'tenancy.domain_permanent': {
    status: 409,
    message: "The domain {domain} cannot be removed: it is the random domain, the tenant's id or the last alias.",
  },
  'tenancy.too_many_domains': {
    status: 409,
    message: 'A tenant can have at most {limit} aliases; remove one first.',
  },
  'tenancy.too_many_requests': {
    status: 429,
    message:
      'The organization has sent the {limit} requests that its plan allows per minute; try again in {seconds} seconds.',
  },
  'tenancy.storage_full': {
    status: 422,
    message: 'The files of the organization take the {limit} MB that its plan allows; delete some, or ask for more.',
  },
  'modules.not_installed': { status: 404, message: 'The module {module} is not enabled for this tenant.' },
  'actions.not_found': { status: 404, message: 'There is no action {name}.' },
  'bus.not_declared': {
    status: 403,
    message: 'The module {caller} may not call {name}; declare it in api.consumes of its module.json.',
  },
  'bus.rate_limited': { status: 429, message: 'Too many calls of {name}; try again in {seconds} seconds.' },
  'bus.too_deep': {
    status: 508,
    message: 'The call of {name} is nested too deeply; modules probably call each other in a loop.',
  },
  'events.not_declared': {
    status: 500,
    message: 'The module {module} may not emit {name}; add it to `events` in its module.ts.',
  },
  'realtime.channel_forbidden': { status: 403, message: 'You may not subscribe to the channel {channel}.' },
  'realtime.upgrade_required': { status: 426, message: 'This address serves WebSocket connections only.' },
  'outbound.invalid_url': { status: 422, message: 'This is not a web address; it must begin with https://.' },
  'outbound.invalid_host': { status: 422, message: 'This is not the name of a host.' },
  'outbound.not_https': { status: 422, message: 'The address must begin with https://.' },
  'outbound.url_with_credentials': {
    status: 422,
    message: 'The address must not contain a user name or a password.',
  },
  'outbound.port_refused': { status: 422, message: 'The port {port} is not allowed; use 443 or a port above 1023.' },
  'outbound.address_refused': { status: 422, message: 'The host {host} is not on the public internet.' },
  'outbound.unreachable': { status: 502, message: 'The host {host} cannot be reached: {reason}.' },
  'outbound.timeout': { status: 504, message: 'The host {host} did not respond in time.' },
  'outbound.response_too_large': {
    status: 502,
    message: 'The response of {host} is larger than the {limit} bytes allowed.',
  },
  'outbound.sandbox': { status: 409, message: 'This is a sandbox: it sends nothing to other servers.' },
  'outbound.too_many_redirects': { status: 502, message: 'The host {host} redirects too often.' },
  'db.unavailable': { status: 503, message: 'The database cannot be reached; try again in a moment.' },
  'http.too_many_downloads': {
    status: 429,
    message: 'Too many concurrent downloads; try again when one of them has finished.',
  },
  'http.too_many_uploads': {
    status: 429,
    message: 'Too many concurrent uploads; try again when one of them has finished.',
  },
  'files.images_busy': { status: 503, message: 'Too many images are being processed; try again in a moment.' },
  'files.images_unavailable': {
    status: 503,
    message: 'This server cannot process images: the library sharp does not load on it.',
  },
  'files.unavailable': { status: 503, message: 'The file storage cannot be reached; try again in a moment.' },
  'db.out_of_resources': {
    status: 503,
    message: 'The database has no disk space or memory left; try again later.',
  },
  'db.busy': { status: 503, message: 'All database connections are in use; try again in a moment.' },
  'db.too_slow': { status: 503, message: 'The database did not respond in time; try again in a moment.' },
} as const;

export const fail = defineErrors(kernelErrors);

export { invalid };
