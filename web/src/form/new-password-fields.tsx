import { useState } from 'react';
import { Field } from '../ui/field.tsx';
import { PasswordInput } from '../ui/password-input.tsx';
import { PasswordStrength } from './password-strength.tsx';
import type { Form } from './use-form.ts';

interface NewPassword {
  readonly password: string;
  readonly password_confirmation: string;
}

interface NewPasswordFieldsProps {
  readonly label: string;
  readonly form: Pick<Form<NewPassword>, 'field'>;
  readonly autoFocus?: boolean;
}

export function NewPasswordFields({ label, form, autoFocus = false }: NewPasswordFieldsProps) {
  const [password, setPassword] = useState('');
  return (
    <>
      <Field label={label} {...form.field('password')} help={<PasswordStrength password={password} />}>
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="new-password"
            autoFocus={autoFocus}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            required
          />
        )}
      </Field>
      <Field label="Repeat the password" {...form.field('password_confirmation')}>
        {(control) => <PasswordInput {...control} autoComplete="new-password" required />}
      </Field>
    </>
  );
}
