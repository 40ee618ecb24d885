import { ChowkError } from '@chowk/client';
import { Field, Input } from '../../ui/field.tsx';

/** Whether the platform asks for the password, because the last sign-in is too long ago. */
export function isPasswordMissing(error: unknown): boolean {
  return error instanceof ChowkError && (error.fields.password?.some(({ code }) => code === 'required') ?? false);
}

export function PasswordField({ error }: { readonly error: string | undefined }) {
  return (
    <Field label="Your password" error={error}>
      {(control) => (
        <Input {...control} name="password" type="password" autoComplete="current-password" autoFocus required />
      )}
    </Field>
  );
}
