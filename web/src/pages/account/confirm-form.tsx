import { useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { isPasswordMissing, PasswordField } from './password-field.tsx';

interface ConfirmFormProps {
  readonly question: string;
  readonly label: string;
  readonly variant?: 'primary' | 'danger';
  /** Default: only if the platform asks for it, because the last sign-in is too long ago. */
  readonly isPasswordNeeded?: boolean;
  readonly onCancel: () => void;
  readonly send: (confirmation: { readonly password?: string }) => Promise<void>;
}

interface Values {
  /** Only if it is asked for. */
  readonly password?: string;
}

/** A change of the account that needs a recent sign-in or the password. */
export function ConfirmForm({
  question,
  label,
  variant = 'primary',
  isPasswordNeeded = false,
  onCancel,
  send,
}: ConfirmFormProps) {
  const [isPasswordAsked, setPasswordAsked] = useState(isPasswordNeeded);
  const { isBusy, problem, field, props } = useForm<Values>(async ({ password }) => {
    try {
      await send(password === undefined ? {} : { password });
    } catch (error) {
      if (isPasswordMissing(error)) setPasswordAsked(true);
      throw error;
    }
  });
  return (
    <form {...props} className="grid gap-4">
      {problem && <Notice tone="error">{problem}</Notice>}
      <p className="text-secondary">{question}</p>
      {isPasswordAsked && <PasswordField {...field('password')} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant={variant} isBusy={isBusy} autoFocus={!isPasswordNeeded}>
          {label}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
