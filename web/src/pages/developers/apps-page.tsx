import type { App } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { GrantItem } from '../account/grant-item.tsx';
import { AppForm } from './app-form.tsx';
import { AppItem } from './app-item.tsx';
import { ClientRequests } from './client-requests.tsx';
import { DevelopersLayout } from './developers-layout.tsx';
import { SecretOnce } from './secret-once.tsx';

/** The apps that have access, and those that the organization has registered. */
export function AppsPage() {
  const { open } = useSearch({ from: '/shell/developers/apps' });
  const navigate = useNavigate();
  const [shown, setShown] = useState<{ readonly app: App; readonly secret: string }>();
  const show = (id: string | undefined) =>
    void navigate({ to: '/developers/apps', search: id === undefined ? {} : { open: id }, replace: id === undefined });
  const button = useReturnFocus(open === 'new' || shown !== undefined);
  const onSaved = (app: App, secret: string | null) => {
    setShown(secret === null ? undefined : { app, secret });
    show(undefined);
  };
  const register = (
    <Button ref={button} variant="primary" onClick={() => show('new')}>
      <Icon icon={Plus} strokeWidth={1.75} />
      Register an app
    </Button>
  );
  return (
    <DevelopersLayout tab="/developers/apps" actions={register}>
      <div className="flex min-h-0 w-full max-w-3xl flex-1 flex-col gap-8 overflow-y-auto pt-4 pb-12 *:shrink-0">
        {shown && (
          <SecretOnce values={[['Client id', shown.app.id]]} secret={shown.secret} onDone={() => setShown(undefined)}>
            {shown.app.name} has a new secret.
          </SecretOnce>
        )}
        {open === 'new' && <AppForm onClose={() => show(undefined)} onSaved={onSaved} />}
        <Granted />
        <Registered open={open} onOpen={show} onSaved={onSaved} />
      </div>
    </DevelopersLayout>
  );
}

function Granted() {
  const { data, error } = useApi(keys.apps.grants, (client) => client.appGrants.list({ per_page: 100 }));
  const [logged, setLogged] = useState<{ readonly id: string; readonly name: string }>();
  const remove = useAction((client, id: string) => client.appGrants.delete({ id }), {
    affects: [keys.apps.grants, keys.profile.apps],
    done: ({ message }) => message,
  });
  return (
    <Section title="Apps with access" lead="What members have connected to this organization.">
      {!data ? (
        <Loading error={error} className="h-24" />
      ) : data.app_grants.length === 0 ? (
        <EmptyState icon={SquareTerminal} title="No app has access">
          An app asks a member for access, and the member decides what it may do.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line border-y border-line">
          {data.app_grants.map((grant) => (
            <GrantItem
              key={grant.id}
              grant={grant}
              isBusy={remove.isPending}
              onRemove={() => remove.mutate(grant.id)}
              actions={
                <Button variant="quiet" onClick={() => setLogged({ id: grant.id, name: grant.app.name })}>
                  Requests
                </Button>
              }
            >
              {grant.approved_by && `by ${grant.approved_by.name}`}
              {grant.acts_as === 'organization' && ', acts for the organization'}
            </GrantItem>
          ))}
        </ul>
      )}
      <Dialog
        title={`Requests by ${logged?.name ?? ''}`}
        isOpen={logged !== undefined}
        onClose={() => setLogged(undefined)}
      >
        {logged && (
          <ClientRequests
            queryKey={keys.apps.requests(logged.id)}
            read={(client) => client.appGrants.requests({ id: logged.id, per_page: 50 })}
          />
        )}
      </Dialog>
    </Section>
  );
}

interface RegisteredProps {
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly onSaved: (app: App, secret: string | null) => void;
}

function Registered({ open, onOpen, onSaved }: RegisteredProps) {
  const { data, error } = useApi(keys.apps.registered, (client) => client.apps.list({ per_page: 100 }));
  if (!data) return <Loading error={error} className="h-24" />;
  if (data.apps.length === 0) return null;
  return (
    <Section title="Your apps" lead="Members of all organizations can connect them.">
      <ul className="divide-y divide-line border-y border-line">
        {data.apps.map((app) =>
          open === app.id ? (
            <li key={app.id} className="py-3">
              <AppForm app={app} onClose={() => onOpen(undefined)} onSaved={onSaved} />
            </li>
          ) : (
            <AppItem key={app.id} app={app} onEdit={() => onOpen(app.id)} onSecret={(secret) => onSaved(app, secret)} />
          ),
        )}
      </ul>
    </Section>
  );
}
