import type { AcceptedInvitation, OpenInvitation } from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLoaderData, useNavigate, useParams } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { NewPasswordFields } from '../../form/new-password-fields.tsx';
import { SignInForm } from '../../form/sign-in-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { errorMessage } from '../../format/error-message.ts';
import { anonymous, api, chooseTenant, signOut, useSessionState } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { BrokenLink } from './broken-link.tsx';

const route = { from: '/invitations/$token' } as const;

/** For new and existing users, signed in or not. Ends on Home of the tenant. */
export function InvitationPage() {
  const { content, error } = useLoaderData(route);
  return content ? <OpenedInvitation invitation={content.invitation} /> : <BrokenLink error={error} />;
}

function OpenedInvitation({ invitation }: { readonly invitation: OpenInvitation }) {
  const { token } = useParams(route);
  const { email, role, tenant, invited_by, account_exists } = invitation;
  const isSignedIn = useSessionState() === 'signed-in';
  const me = useApi(keys.me, (client) => client.auth.me(), isSignedIn);
  const enter = useEnter();
  const join = useMutation({ mutationFn: () => api().invitations.accept({ invitation: token }), onSuccess: enter });
  const ownEmail = isSignedIn ? (me.data?.sign_in_email ?? me.data?.email) : undefined;
  return (
    <EntryLayout
      title={`Join ${tenant.name}`}
      lead={
        <span className="wrap-anywhere">
          {invited_by} invites <span className="wrap-anywhere text-text">{email}</span> to join as {role}.
        </span>
      }
    >
      {join.error && <Notice tone="error">{errorMessage(join.error)}</Notice>}
      {isSignedIn && me.isPending ? (
        <Skeleton className="h-9 w-full" />
      ) : ownEmail !== undefined && ownEmail !== email ? (
        <OtherAccount ownEmail={ownEmail} />
      ) : isSignedIn ? (
        <Button variant="primary" isBusy={join.isPending} onClick={() => join.mutate()}>
          Join
        </Button>
      ) : account_exists ? (
        <SignInForm email={email} aside={forgotten} onSignedIn={() => join.mutate()} />
      ) : (
        <NewAccountForm token={token} invitation={invitation} onAccepted={enter} />
      )}
    </EntryLayout>
  );
}

const forgotten = (
  <Link to="/forgot-password" className="text-xs text-accent underline-offset-4 hover:underline">
    Forgot password?
  </Link>
);

function useEnter(): (accepted: AcceptedInvitation & { readonly message: string }) => Promise<void> {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return async ({ message, tenant, access_token, refresh_token, expires_in }) => {
    if (access_token !== undefined && expires_in !== undefined) {
      await api().keepTokens({ access_token, refresh_token, expires_in });
    }
    chooseTenant(tenant.id);
    void cache.invalidateQueries();
    toast(message);
    await navigate({ to: '/', replace: true });
  };
}

function OtherAccount({ ownEmail }: { readonly ownEmail: string }) {
  return (
    <>
      <Notice tone="warning">
        You are signed in as <span className="wrap-anywhere">{ownEmail}</span>, but the invitation is for another
        address.
      </Notice>
      <Button onClick={signOut}>Sign out and continue</Button>
    </>
  );
}

interface NewAccountFormProps {
  readonly token: string;
  readonly invitation: OpenInvitation;
  readonly onAccepted: ReturnType<typeof useEnter>;
}

interface Values {
  readonly name: string;
  readonly password: string;
  readonly password_confirmation: string;
}

function NewAccountForm({ token, invitation: { email }, onAccepted }: NewAccountFormProps) {
  const { isBusy, problem, errors, field, props } = useForm<Values, 'token'>(
    async ({ name, password, password_confirmation }) => {
      const account = { name, password, password_confirmation };
      await onAccepted(await anonymous.invitations.accept({ invitation: token, ...account }));
    },
  );
  const failure = problem ?? errors.token;
  return (
    <form {...props} className="grid gap-4">
      {failure && <Notice tone="error">{failure}</Notice>}
      {/* For password managers. */}
      <input autoComplete="username" value={email} readOnly hidden />
      <Field label="Your name" {...field('name')}>
        {(control) => <Input {...control} autoComplete="name" autoFocus required />}
      </Field>
      <NewPasswordFields label="Choose a password" form={{ field }} />
      <Button type="submit" variant="primary" isBusy={isBusy}>
        Create account and join
      </Button>
    </form>
  );
}
