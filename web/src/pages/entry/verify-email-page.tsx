import type { EmailVerifyInput } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { useLoaderData, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from '../../form/use-form.ts';
import { anonymous, api, sessionState } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Notice } from '../../ui/notice.tsx';
import { BrokenLink } from './broken-link.tsx';
import { HomeLink } from './home-link.tsx';

const route = { from: '/email/verify/$id/$hash' } as const;

export function VerifyEmailPage() {
  const { content, error, link } = useLoaderData(route);
  return content ? <VerifyEmail {...content} link={link} /> : <BrokenLink error={error} />;
}

interface VerifyEmailProps {
  readonly email: string;
  readonly name: string;
  readonly already_verified: boolean;
  readonly ends_access: boolean;
  readonly link: EmailVerifyInput;
}

function VerifyEmail({ email, name, already_verified, ends_access, link }: VerifyEmailProps) {
  const cache = useQueryClient();
  const [result, setResult] = useState(already_verified ? `The address ${email} is verified.` : undefined);
  const { isBusy, problem, errors, props } = useForm<object, 'hash'>(async () => {
    // The first verification ends all sessions but the one it is made in.
    const client = sessionState() === 'signed-in' ? api() : anonymous;
    const { message } = await client.email.verify(link);
    setResult(message);
    void cache.invalidateQueries();
  });
  const failure = problem ?? errors.hash;
  return (
    <EntryLayout title="Verify your email address">
      {result !== undefined ? (
        <>
          <Notice tone="success">
            <span className="wrap-anywhere">{result}</span>
          </Notice>
          <HomeLink />
        </>
      ) : (
        <form {...props} className="grid gap-5">
          {failure && <Notice tone="error">{failure}</Notice>}
          <p className="text-secondary">
            Is <strong className="font-medium wrap-anywhere text-text">{email}</strong> your address, and is the account
            of <strong className="font-medium wrap-anywhere text-text">{name}</strong> yours? The account will sign in
            with this address.
          </p>
          {ends_access ? (
            <SignInFirst isBusy={isBusy} />
          ) : (
            <Button type="submit" variant="primary" isBusy={isBusy}>
              Yes, verify it
            </Button>
          )}
        </form>
      )}
    </EntryLayout>
  );
}

/** For the first verification without a session: somebody else may have chosen the password. */
function SignInFirst({ isBusy }: { readonly isBusy: boolean }) {
  const { href } = useLocation();
  const navigate = useNavigate();
  return (
    <>
      <Button variant="primary" onClick={() => void navigate({ to: '/login', search: { next: href } })}>
        Sign in and verify it
      </Button>
      <p className="text-sm text-secondary">
        You have not chosen the password of this account, or do not know it? Verify the address without it: the password
        and whatever else was set up before no longer work, and we mail you a link to choose a new password.
      </p>
      <Button type="submit" isBusy={isBusy}>
        Verify it without the password
      </Button>
    </>
  );
}
