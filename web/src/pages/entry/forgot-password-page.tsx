import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { anonymous } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';

interface Values {
  readonly email: string;
}

export function ForgotPasswordPage() {
  const [sent, setSent] = useState<string>();
  const { isBusy, problem, field, props } = useForm<Values>(async ({ email }) => {
    const { message } = await anonymous.password.forgot({ email });
    setSent(message);
  });
  return (
    <EntryLayout title="Choose a new password" lead="We email you a link that can be used once.">
      {sent === undefined ? (
        <form {...props} className="grid gap-4">
          {problem && <Notice tone="error">{problem}</Notice>}
          <Field label="Email" {...field('email')}>
            {(control) => <Input {...control} type="email" autoComplete="username" autoFocus required />}
          </Field>
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Email me a link
          </Button>
        </form>
      ) : (
        <Notice tone="success">{sent}</Notice>
      )}
      <Link to="/login" className="justify-self-start text-accent underline-offset-4 hover:underline">
        Back to sign-in
      </Link>
    </EntryLayout>
  );
}
