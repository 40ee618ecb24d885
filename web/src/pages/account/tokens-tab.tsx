import type { PersonalToken } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { affectedByTokens } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { NewTokenForm } from './new-token-form.tsx';
import { OwnApps } from './own-apps.tsx';

interface CreatedToken {
  readonly name: string;
  readonly secret: string;
}

export function TokensTab() {
  const { open } = useSearch({ from: '/shell/profile' });
  const navigate = useNavigate();
  const { data, error } = useApi(keys.profile.tokens, (client) => client.profile.tokens());
  const [created, setCreated] = useState<CreatedToken>();
  const [revoking, setRevoking] = useState<PersonalToken>();
  const isNew = open === 'new';
  const show = (form?: 'new') =>
    void navigate({
      to: '/profile',
      search: { tab: 'tokens', ...(form && { open: form }) },
      replace: form === undefined,
    });
  const button = useReturnFocus(isNew || created !== undefined);
  const create = (
    <Button
      ref={button}
      variant="primary"
      onClick={() => {
        setCreated(undefined);
        show('new');
      }}
    >
      New token
    </Button>
  );
  const isEmpty = data?.tokens.length === 0;
  return (
    <div className="grid gap-10">
      <Section
        title="Personal access tokens"
        lead="For programs that use the API for you. A token never has more rights than you."
        actions={!isNew && !isEmpty && create}
      >
        {created && <ShownOnce {...created} onDone={() => setCreated(undefined)} />}
        {isNew && (
          <NewTokenForm
            onCancel={() => show()}
            onCreated={(token) => {
              setCreated(token);
              show();
            }}
          />
        )}
        {error && !data && <ReadError error={error} />}
        {!data && !error && <Skeleton className="h-40 w-full" />}
        {isEmpty && !isNew && (
          <EmptyState icon={KeyRound} title="No tokens yet" action={create}>
            A script that exports orders each night signs in with a token instead of your password.
          </EmptyState>
        )}
        {data && !isEmpty && (
          <ul className="divide-y divide-line border-y border-line">
            {data.tokens.map((token) => (
              <TokenItem key={token.id} token={token} onRevoke={() => setRevoking(token)} />
            ))}
          </ul>
        )}
        <RevokeDialog token={revoking} onClose={() => setRevoking(undefined)} />
      </Section>
      <OwnApps />
    </div>
  );
}

interface TokenItemProps {
  readonly token: PersonalToken;
  readonly onRevoke: () => void;
}

function TokenItem({ token, onRevoke }: TokenItemProps) {
  const { name, scopes, created_at, last_used_at, expires_at } = token;
  return (
    <li className="flex items-center gap-x-3 py-3">
      <Icon icon={KeyRound} size={20} className="mt-0.5 shrink-0 self-start text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-sm wrap-anywhere text-secondary">
          {scopes.includes('*') ? 'Everything that you may do' : scopes.join(', ')}
        </span>
        <span className="text-sm text-faint">
          <span title={exactTime(created_at)}>Created {relativeTime(created_at)}</span>
          {' · '}
          {last_used_at === null ? (
            'never used'
          ) : (
            <span title={exactTime(last_used_at)}>last used {relativeTime(last_used_at)}</span>
          )}
          {' · '}
          {expiry(expires_at)}
        </span>
      </div>
      <Button aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

function expiry(time: string | null): string {
  if (time === null) return 'does not expire';
  return `${Date.parse(time) > Date.now() ? 'expires' : 'expired'} ${exactTime(time)}`;
}

function ShownOnce({ name, secret, onDone }: CreatedToken & { readonly onDone: () => void }) {
  return (
    <div className="grid gap-3 rounded-panel border border-line bg-surface p-4">
      <Notice tone="success">
        <span className="wrap-anywhere">{name}</span> was created. Copy the token now: it is not shown again.
      </Notice>
      <code className="rounded-control bg-sunken px-3 py-2 text-sm break-all">{secret}</code>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={secret} label="Copy the token" autoFocus />
        <Button variant="quiet" onClick={onDone}>
          I have stored it
        </Button>
      </div>
    </div>
  );
}

interface RevokeDialogProps {
  readonly token: PersonalToken | undefined;
  readonly onClose: () => void;
}

function RevokeDialog({ token, onClose }: RevokeDialogProps) {
  const revoke = useAction((client, { id }: PersonalToken) => client.profile.revokeToken({ id }), {
    affects: affectedByTokens,
    done: (_result, { name }) => `${name} revoked.`,
  });
  return (
    <ConfirmDialog
      title="Revoke this token?"
      isOpen={token !== undefined}
      onClose={onClose}
      action="Revoke token"
      isBusy={revoke.isPending}
      onConfirm={() => token && revoke.mutate(token, { onSettled: onClose })}
    >
      Programs that use <strong className="font-medium wrap-anywhere text-text">{token?.name}</strong> are refused at
      once. This cannot be undone.
    </ConfirmDialog>
  );
}
