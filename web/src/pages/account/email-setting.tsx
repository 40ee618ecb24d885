import type { Profile } from '@chowk/client';
import { useState } from 'react';
import { affectedByProfile } from '../../api/affected-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordInput } from '../../ui/password-input.tsx';
import { Setting } from '../../ui/setting.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';

type Open = 'change' | 'cancel' | undefined;

/** The address, what is pending, and the forms to change it and to cancel a change. */
export function EmailSetting({ profile }: { readonly profile: Profile }) {
  const { email, email_verified, sign_in_email } = profile;
  const [open, setOpen] = useState<Open>();
  const button = useReturnFocus(open !== undefined);
  const isPending = !email_verified && email !== sign_in_email;
  const close = () => setOpen(undefined);
  return (
    <Setting title="Email address" lead="You sign in with it and receive emails there.">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 font-medium wrap-anywhere">{email}</span>
        <StatusPill tone={email_verified ? 'success' : 'warning'}>
          {email_verified ? 'Verified' : 'Waiting for verification'}
        </StatusPill>
      </div>
      {!email_verified && <Verification profile={profile} />}
      {open === 'change' && <EmailForm label="Change address" onDone={close} />}
      {open === 'cancel' && sign_in_email !== null && (
        <EmailForm label={`Keep ${sign_in_email}`} email={sign_in_email} onDone={close} />
      )}
      {open === undefined && (
        <div className="flex flex-wrap gap-2">
          <Button ref={button} onClick={() => setOpen('change')}>
            {isPending ? 'Use another address' : 'Change address'}
          </Button>
          {isPending && sign_in_email !== null && <Button onClick={() => setOpen('cancel')}>Cancel the change</Button>}
        </div>
      )}
    </Setting>
  );
}

function Verification({ profile: { email, sign_in_email } }: { readonly profile: Profile }) {
  const resend = useAction((client) => client.email.resendVerification(), {
    affects: affectedByProfile,
    done: ({ message }) => message,
  });
  return (
    <Notice tone="warning">
      <p>
        Open the link in the email to <span className="wrap-anywhere">{email}</span>.{' '}
        {sign_in_email === null
          ? 'Another account has verified your previous address, so you cannot sign in until then.'
          : sign_in_email !== email && (
              <>
                Until then you sign in with <span className="wrap-anywhere">{sign_in_email}</span>.
              </>
            )}
      </p>
      <button
        type="button"
        onClick={() => !resend.isPending && resend.mutate(undefined)}
        className="mt-1 min-h-8 font-medium underline underline-offset-4 max-md:min-h-11"
      >
        Send the link again
      </button>
    </Notice>
  );
}

interface EmailFormProps {
  readonly label: string;
  /** Given if it is known, else entered. */
  readonly email?: string;
  readonly onDone: () => void;
}

interface Values {
  /** Only if it is entered. */
  readonly email?: string;
  readonly password: string;
}

function EmailForm({ label, email: known, onDone }: EmailFormProps) {
  const refetch = useRefetch();
  const { isBusy, problem, errors, field, props } = useForm<Values>(async ({ email = known ?? '', password }) => {
    const { message, requires_verification } = await api().email.change({ email, password });
    toast(requires_verification ? 'A verification link was mailed to the new address.' : message);
    onDone();
    await refetch(...affectedByProfile);
  });
  const failure = problem ?? (known === undefined ? undefined : errors.email);
  return (
    <form {...props} className="grid gap-4">
      {failure && <Notice tone="error">{failure}</Notice>}
      {known === undefined && (
        <Field
          label="New address"
          {...field('email')}
          help="A link is mailed there. It applies when you have opened it."
        >
          {(control) => <Input {...control} type="email" autoComplete="email" autoFocus required />}
        </Field>
      )}
      <Field label="Your password" {...field('password')}>
        {(control) => (
          <PasswordInput {...control} autoComplete="current-password" autoFocus={known !== undefined} required />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isBusy} className="max-w-full">
          <span className="truncate">{label}</span>
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
