import type { Profile } from '@chowk/client';
import { useState } from 'react';
import { affectedBySessions } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { NewPasswordFields } from '../../form/new-password-fields.tsx';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { Setting } from '../../ui/setting.tsx';
import { toast } from '../../ui/toast.tsx';

export function PasswordSetting({ profile: { has_password, sign_in_email } }: { readonly profile: Profile }) {
  // A new form after each change.
  const [changes, setChanges] = useState(0);
  return (
    <Setting title="Password" lead="Changing it ends all your other sessions.">
      {has_password ? (
        <PasswordForm key={changes} email={sign_in_email} onChanged={() => setChanges(changes + 1)} />
      ) : (
        <FirstPassword email={sign_in_email} />
      )}
    </Setting>
  );
}

interface PasswordFormProps {
  readonly email: string | null;
  readonly onChanged: () => void;
}

interface Values {
  readonly current_password: string;
  readonly password: string;
  readonly password_confirmation: string;
}

function PasswordForm({ email, onChanged }: PasswordFormProps) {
  const refetch = useRefetch();
  const { isBusy, problem, field, props } = useForm<Values>(
    async ({ current_password, password, password_confirmation }) => {
      const { message } = await api().password.change({ current_password, password, password_confirmation });
      toast(message);
      onChanged();
      await refetch(keys.profile.details, ...affectedBySessions);
    },
  );
  return (
    <form {...props} className="grid gap-4">
      {problem && <Notice tone="error">{problem}</Notice>}
      {/* For password managers. */}
      <input autoComplete="username" value={email ?? ''} readOnly hidden />
      <Field label="Current password" {...field('current_password')}>
        {(control) => <PasswordInput {...control} autoComplete="current-password" required />}
      </Field>
      <NewPasswordFields label="New password" form={{ field }} />
      <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-start max-sm:w-full">
        Change password
      </Button>
    </form>
  );
}

function FirstPassword({ email }: { readonly email: string | null }) {
  const send = useAction((client) => client.password.forgot({ email: email ?? '' }), {
    affects: [],
    done: () => `Link to choose a password mailed to ${email}.`,
  });
  return (
    <>
      <p className="text-secondary">You have no password yet.</p>
      {email !== null && (
        <Button className="justify-self-start" isBusy={send.isPending} onClick={() => send.mutate(undefined)}>
          Email me a link to choose one
        </Button>
      )}
    </>
  );
}
