import { type Static, Timestamp, Type } from '@chowk/kit';

/** No control characters: a name stands in mails and lists. */
export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\p{Cc}]*$' });
export const Email = Type.String({ format: 'email', maxLength: 254 });
/** Bcrypt reads 72 bytes and no more: see `passwordProblem`. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 72 });
/** A password that is only compared. */
export const Password = Type.String({ minLength: 1, maxLength: 1000 });

export const UserSummary = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  email_verified: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
});
export type UserSummary = Static<typeof UserSummary>;

export const TokenAnswer = Type.Object({
  token_type: Type.Literal('Bearer'),
  access_token: Type.String(),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
});

export { Timestamp };
