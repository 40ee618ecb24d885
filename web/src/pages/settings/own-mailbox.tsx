import { ChowkError, type Client, type ImapMailbox } from '@chowk/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { tenantKey } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { api, useTenant } from '../../session/session.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { OwnMailboxForm } from './own-mailbox-form.tsx';
import type { ProviderAccountProps } from './twilio-account.tsx';

/** Null if there is none. */
async function readMailbox(client: Client): Promise<ImapMailbox | null> {
  try {
    return (await client.mailbox.getImap()).imap;
  } catch (error) {
    if (error instanceof ChowkError && error.code === 'mailbox.imap_not_found') return null;
    throw error;
  }
}

/** Until it is known whether mails can be fetched, and as often as they are. */
function pollInterval(mailbox: ImapMailbox | null | undefined): number | false {
  if (!mailbox) return false;
  return mailbox.last_fetched_at === null && mailbox.failure === null ? 5_000 : 60_000;
}

export function useOwnMailbox(): UseQueryResult<ImapMailbox | null> {
  return useQuery({
    queryKey: tenantKey(useTenant(), keys.mailbox.imap),
    queryFn: () => readMailbox(api()),
    refetchInterval: ({ state }) => pollInterval(state.data),
  });
}

/** The mailbox of the organization at another provider, and whether its mails can be fetched. */
export function OwnMailbox({ isOpen, onOpen, onClose }: Omit<ProviderAccountProps, 'providers'>) {
  const { data: mailbox, error } = useOwnMailbox();
  const button = useReturnFocus(isOpen);
  if (mailbox === undefined) return <Loading error={error} className="h-9" />;
  if (isOpen) return <OwnMailboxForm mailbox={mailbox} onClose={onClose} />;
  return (
    <section aria-label="Your own mailbox" className="grid gap-4">
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        <MailboxState mailbox={mailbox} />
        <Button ref={button} className="ml-auto" onClick={onOpen}>
          {mailbox ? 'Change' : 'Set up a mailbox'}
        </Button>
        {mailbox && <DeleteMailbox address={mailbox.address} />}
      </div>
      {mailbox && <MailboxDetails mailbox={mailbox} />}
    </section>
  );
}

function MailboxState({ mailbox }: { readonly mailbox: ImapMailbox | null }) {
  if (!mailbox) return <StatusPill>Not set up</StatusPill>;
  if (mailbox.failure !== null) return <StatusPill tone="warning">Not fetching</StatusPill>;
  if (mailbox.last_fetched_at === null) return <StatusPill tone="info">Starting</StatusPill>;
  return <StatusPill tone="success">Fetching</StatusPill>;
}

function MailboxDetails({ mailbox }: { readonly mailbox: ImapMailbox }) {
  const { address, host, port, folder, last_fetched_at, failing_since, failure, next_fetch_at } = mailbox;
  return (
    <>
      {failure !== null && (
        <Notice tone="warning">
          {failure} {failing_since !== null && `No mails have been fetched since ${exactTime(failing_since)}.`} They
          wait in the mailbox. The next attempt is at {exactTime(next_fetch_at)}.
        </Notice>
      )}
      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1.5 text-sm">
        {(
          [
            ['Address', address],
            ['Server', `${host}:${port}`],
            ['Folder', folder],
            ['Last fetched', last_fetched_at === null ? 'Not yet' : <RelativeTime key="time" time={last_fetched_at} />],
          ] as const
        ).map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-secondary">{label}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function DeleteMailbox({ address }: { readonly address: string }) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.mailbox.deleteImap(), {
    affects: [keys.mailbox.imap],
    done: () => `Mailbox ${address} disconnected.`,
  });
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <ConfirmDialog
        title={`Remove the mailbox ${address}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Remove mailbox"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Its mails are no longer fetched. Conversations stay, and so do the mails in the mailbox. To use it again, you
        need its password again.
      </ConfirmDialog>
    </>
  );
}
