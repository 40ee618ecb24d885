import { named, type Static, Type } from '@chowk/kit';

const text = (description: string) => Type.Optional(Type.String({ description }));
const client = {
  client_id: text(
    'Unless the Authorization header (Basic) names it. `chowk-console` and `chowk-cli` are the programs of the platform ' +
      'and have no secret.',
  ),
  client_secret: text('For a client that has one, unless the Authorization header contains it.'),
};

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant] as const;

export const TokenRequest = named(
  'TokenRequest',
  Type.Object({
    grant_type: Type.Enum(grantTypes),
    ...client,
    code: text('For `authorization_code`.'),
    redirect_uri: text('For `authorization_code`: that of the request.'),
    code_verifier: text('For `authorization_code` (RFC 7636).'),
    refresh_token: text('For `refresh_token`.'),
    device_code: text(`For \`${deviceGrant}\`.`),
    scope: text('Permissions, separated by spaces, to limit the token to.'),
  }),
);

export const RevocationRequest = named(
  'RevocationRequest',
  Type.Object({
    token: Type.String({ description: 'An access token or a refresh token.' }),
    token_type_hint: text('Ignored.'),
    ...client,
  }),
);

export const DeviceAuthorizationRequest = named(
  'DeviceAuthorizationRequest',
  Type.Object({ ...client, scope: text('Permissions, separated by spaces, to limit the device to.') }),
);

export const OAuthToken = named(
  'OAuthToken',
  Type.Object({
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    refresh_token: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String({ description: 'The permissions that the token is limited to.' })),
    tenant: Type.Optional(Type.String({ description: 'The only tenant that the token of an app is valid in.' })),
  }),
);
export type OAuthToken = Static<typeof OAuthToken>;

export const DeviceAuthorization = named(
  'DeviceAuthorization',
  Type.Object({
    device_code: Type.String(),
    user_code: Type.String(),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    interval: Type.Integer({ description: 'Seconds to wait between two requests for a token.' }),
  }),
);

const Names = Type.Array(Type.String());

export const OAuthMetadata = named(
  'OAuthMetadata',
  Type.Object({
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    token_endpoint_auth_methods_supported: Names,
    revocation_endpoint: Type.String(),
    revocation_endpoint_auth_methods_supported: Names,
    device_authorization_endpoint: Type.String(),
    jwks_uri: Type.String(),
    grant_types_supported: Names,
    response_types_supported: Names,
    response_modes_supported: Names,
    code_challenge_methods_supported: Names,
    authorization_response_iss_parameter_supported: Type.Boolean(),
    registration_endpoint: Type.String(),
    scopes_supported: Names,
    service_documentation: Type.String(),
  }),
);

/** Beside `message`, for OAuth clients. */
export const OAuthFailure = named(
  'OAuthFailure',
  Type.Object({ error: Type.String({ examples: ['invalid_client'] }), error_description: Type.String() }),
);
