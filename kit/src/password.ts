import { Type } from './schema.ts';

/** A new password: bcrypt reads 72 bytes, up to a NUL character. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 72,
  maxBytes: 72,
  pattern: '^[^\\0]*$',
  description: 'At least 8 characters, at most 72 bytes.',
});
