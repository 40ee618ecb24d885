import { ChowkError } from '@chowk/client';
import { Field } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';

/** Whether the platform asks for the password, because the last sign-in is too long ago. */
export function isPasswordMissing(error: unknown): boolean {
  return error instanceof ChowkError && (error.fields.password?.some(({ code }) => code === 'required') ?? false);
}

interface PasswordFieldProps {
  readonly name: 'password';
  readonly error: string | undefined;
}

export function PasswordField(field: PasswordFieldProps) {
  return (
    <Field label="Your password" {...field}>
      {(control) => <PasswordInput {...control} autoComplete="current-password" autoFocus required />}
    </Field>
  );
}
