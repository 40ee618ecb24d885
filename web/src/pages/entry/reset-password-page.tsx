import { useLoaderData, useNavigate, useParams } from '@tanstack/react-router';
import { NewPasswordFields } from '../../form/new-password-fields.tsx';
import { useForm } from '../../form/use-form.ts';
import { anonymous, api, signOut } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { BrokenLink } from './broken-link.tsx';

const route = { from: '/password/reset/$token' } as const;

export function ResetPasswordPage() {
  const { content, error } = useLoaderData(route);
  return content ? <ResetPassword email={content.email} /> : <BrokenLink error={error} />;
}

interface Values {
  readonly password: string;
  readonly password_confirmation: string;
}

function ResetPassword({ email }: { readonly email: string }) {
  const { token } = useParams(route);
  const navigate = useNavigate();
  const { isBusy, problem, errors, field, props } = useForm<Values, 'token'>(
    async ({ password, password_confirmation }) => {
      await anonymous.password.reset({ token, password, password_confirmation });
      // All sessions have ended, also one of this browser.
      signOut();
      toast('Password set. All other sessions have ended.');
      const isSignedIn = await api()
        .signIn({ email, password })
        .then(({ signedIn }) => signedIn)
        .catch(() => false);
      await navigate({ to: isSignedIn ? '/' : '/login', replace: true });
    },
  );
  const failure = problem ?? errors.token;
  return (
    <EntryLayout
      title="Choose a password"
      lead={
        <>
          For the account <span className="wrap-anywhere text-text">{email}</span>. All its sessions will end.
        </>
      }
    >
      <form {...props} className="grid gap-4">
        {failure && <Notice tone="error">{failure}</Notice>}
        {/* For password managers. */}
        <input autoComplete="username" value={email} readOnly hidden />
        <NewPasswordFields label="New password" form={{ field }} autoFocus />
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Set the password and sign in
        </Button>
      </form>
    </EntryLayout>
  );
}
