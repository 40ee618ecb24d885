import { type SystemCtx, Type } from '@chowk/kit';
import { listPermissions } from './oauth-scopes.ts';
import { grantTypes } from './oauth-token.ts';

const authMethods = ['client_secret_basic', 'client_secret_post', 'none'];
const Names = Type.Array(Type.String());

export const Metadata = Type.Object({
  issuer: Type.String(),
  token_endpoint: Type.String(),
  token_endpoint_auth_methods_supported: Names,
  revocation_endpoint: Type.String(),
  revocation_endpoint_auth_methods_supported: Names,
  device_authorization_endpoint: Type.String(),
  jwks_uri: Type.String(),
  grant_types_supported: Names,
  response_types_supported: Names,
  scopes_supported: Names,
  service_documentation: Type.String(),
});

/** What an OAuth client needs to know (RFC 8414). There is nobody to send to a login page: no response types. */
export async function metadata({ platform: { url }, central }: SystemCtx) {
  return {
    issuer: url,
    token_endpoint: `${url}/oauth/token`,
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint: `${url}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: authMethods,
    device_authorization_endpoint: `${url}/oauth/device_authorization`,
    jwks_uri: `${url}/.well-known/jwks.json`,
    grant_types_supported: grantTypes,
    response_types_supported: [],
    scopes_supported: await listPermissions(central),
    service_documentation: `${url}/docs/`,
  };
}
