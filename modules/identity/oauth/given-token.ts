import { type Static, Type } from '@chowk/kit';

/** What the token endpoint answers. */
export const GivenToken = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds.' }),
  refresh_token: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String({ description: 'What the token is limited to.' })),
});
export type GivenToken = Static<typeof GivenToken>;
