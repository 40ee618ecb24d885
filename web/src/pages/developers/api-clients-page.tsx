import type { ApiClient } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ApiClientForm, NewApiClientForm } from './api-client-form.tsx';
import { ApiClientItem } from './api-client-item.tsx';
import { DevelopersLayout } from './developers-layout.tsx';
import { SecretOnce } from './secret-once.tsx';

/** Programs that use the API in the name of the organization. */
export function ApiClientsPage() {
  const { open } = useSearch({ from: '/shell/developers' });
  const navigate = useNavigate();
  const [shown, setShown] = useState<{ readonly client: ApiClient; readonly secret: string }>();
  const show = (id: string | undefined) =>
    void navigate({ to: '/developers', search: id === undefined ? {} : { open: id }, replace: id === undefined });
  const create = () => {
    setShown(undefined);
    show('new');
  };
  const button = useReturnFocus(open === 'new' || shown !== undefined);
  const onSecret = (client: ApiClient, secret: string) => {
    setShown({ client, secret });
    show(undefined);
  };
  return (
    <DevelopersLayout tab="/developers" actions={<NewButton ref={button} onClick={create} />}>
      <div className="flex min-h-0 w-full max-w-3xl flex-1 flex-col gap-4 overflow-y-auto pt-4 pb-12 *:shrink-0">
        {shown && (
          <SecretOnce
            values={[['Client id', shown.client.id]]}
            secret={shown.secret}
            onDone={() => setShown(undefined)}
          >
            {shown.client.name} has a new secret.
          </SecretOnce>
        )}
        {open === 'new' && <NewApiClientForm onCancel={() => show(undefined)} onCreated={onSecret} />}
        <ApiClients open={open} onOpen={show} onSecret={onSecret} />
      </div>
    </DevelopersLayout>
  );
}

interface NewButtonProps {
  readonly ref: ReturnType<typeof useReturnFocus>;
  readonly onClick: () => void;
}

function NewButton({ ref, onClick }: NewButtonProps) {
  useKeys([{ key: 'n', label: 'New API client', run: onClick }]);
  return (
    <Button ref={ref} variant="primary" onClick={onClick}>
      <Icon icon={Plus} strokeWidth={1.75} />
      New API client
    </Button>
  );
}

interface ApiClientsProps {
  readonly open: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
  readonly onSecret: (client: ApiClient, secret: string) => void;
}

function ApiClients({ open, onOpen, onSecret }: ApiClientsProps) {
  const { data, error } = useApi(keys.apiClients, (client) => client.apiClients.list({ per_page: 100 }));
  if (!data) return <Loading error={error} className="h-40" />;
  if (data.api_clients.length === 0) {
    return open === 'new' ? null : (
      <EmptyState icon={KeyRound} title="No API clients yet">
        A shop window, an ERP or a delivery service signs in as an API client, with only the permissions that you
        choose.
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {data.api_clients.map((client) =>
        open === client.id ? (
          <li key={client.id} className="py-3">
            <ApiClientForm client={client} onClose={() => onOpen(undefined)} />
          </li>
        ) : (
          <ApiClientItem
            key={client.id}
            client={client}
            onEdit={() => onOpen(client.id)}
            onSecret={(secret) => onSecret(client, secret)}
          />
        ),
      )}
    </ul>
  );
}
