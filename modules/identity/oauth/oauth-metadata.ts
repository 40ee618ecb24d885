import type { Static, SystemCtx } from '@chowk/kit';
import { grantTypes, type OAuthMetadata } from './oauth-schemas.ts';
import { listPermissionNames } from './oauth-scopes.ts';

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];

/** RFC 8414. */
export async function getMetadata({ system: { url }, central }: SystemCtx): Promise<Static<typeof OAuthMetadata>> {
  return {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint: `${url}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: authMethods,
    device_authorization_endpoint: `${url}/oauth/device_authorization`,
    jwks_uri: `${url}/.well-known/jwks.json`,
    grant_types_supported: [...grantTypes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    registration_endpoint: `${url}/oauth/register`,
    scopes_supported: await listPermissionNames(central),
    service_documentation: `${url}/docs/`,
  };
}
