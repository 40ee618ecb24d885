import { useState } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { PasswordStrength } from '../install/password-strength.tsx';

interface NewPasswordFieldsProps {
  readonly label: string;
  readonly errors: Readonly<Record<string, string>>;
  readonly autoFocus?: boolean;
}

/** `password` and `password_confirmation`. */
export function NewPasswordFields({ label, errors, autoFocus = false }: NewPasswordFieldsProps) {
  const [password, setPassword] = useState('');
  return (
    <>
      <Field label={label} error={errors.password} help={<PasswordStrength password={password} />}>
        {(control) => (
          <Input
            {...control}
            name="password"
            type="password"
            autoComplete="new-password"
            autoFocus={autoFocus}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            required
          />
        )}
      </Field>
      <Field label="Repeat the password" error={errors.password_confirmation}>
        {(control) => (
          <Input {...control} name="password_confirmation" type="password" autoComplete="new-password" required />
        )}
      </Field>
    </>
  );
}
