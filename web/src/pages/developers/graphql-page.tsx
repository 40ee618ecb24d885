import type { PersistedQuery, UnregisteredOperation } from '@chowk/client';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { saveFile } from '../../screen/save-file.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { DevelopersLayout } from './developers-layout.tsx';

const recording = 'graphql.record_unregistered';
const lockdown = 'graphql.persisted_queries_only';

/** The schema, the operations that clients may execute, and what a lockdown to them would refuse. */
export function GraphqlPage() {
  const can = useCan();
  return (
    <DevelopersLayout tab="/developers/graphql">
      <div className="grid max-w-3xl content-start gap-8 overflow-y-auto pt-4 pb-12">
        <Tools />
        {can('graphql.persisted.manage') && can('graphql.settings.manage') && <Lockdown />}
        {can('graphql.persisted.view') && <Persisted />}
      </div>
    </DevelopersLayout>
  );
}

function Tools() {
  const can = useCan();
  const save = useAction(
    async (client) => saveFile(new Blob([await (await client.graphql.schema({})).text()]), 'schema.graphql'),
    { affects: [] },
  );
  return (
    <div className="flex flex-wrap gap-2">
      {can('graphql.playground.access') && (
        <a href="/api/v1/graphql/playground" className={linkStyle}>
          Open the playground
        </a>
      )}
      {can('graphql.schema.view') && (
        <Button isBusy={save.isPending} onClick={() => save.mutate(undefined)}>
          Download the schema
        </Button>
      )}
    </div>
  );
}

/** As a secondary button. */
const linkStyle =
  'inline-flex h-9 items-center rounded-control border border-edge/60 bg-surface px-3.5 font-medium hover:border-edge hover:bg-sunken max-md:h-11';

function Lockdown() {
  const { data, error } = useApi(keys.settings.values, (client) => client.settings.get());
  const found = useApi(keys.graphql.unregistered, (client) => client.graphql.listUnregistered());
  const change = useAction((client, changes: Readonly<Record<string, boolean>>) => client.settings.update(changes), {
    affects: [keys.settings.values, keys.graphql.all],
  });
  const [isAsking, setAsking] = useState(false);
  if (!data || !found.data) return <Loading error={error ?? found.error} className="h-40" />;
  const isRecording = data.settings[recording] === true;
  const isLocked = data.settings[lockdown] === true;
  const operations = found.data.unregistered_operations;
  const lock = () => change.mutate({ [lockdown]: true }, { onSettled: () => setAsking(false) });
  return (
    <Section
      title="Lockdown"
      lead="Only registered operations are executed. Rehearse it first: record what clients send, and register what they need."
    >
      <ul className="grid border-t border-line">
        <Step title="Rehearsal" state={isRecording ? 'Recording' : 'Off'} isOn={isRecording}>
          <Button isBusy={change.isPending} onClick={() => change.mutate({ [recording]: !isRecording })}>
            {isRecording ? 'Stop recording' : 'Start recording'}
          </Button>
        </Step>
        <Step title="Lockdown" state={isLocked ? 'On' : 'Off'} isOn={isLocked}>
          {isLocked ? (
            <Button isBusy={change.isPending} onClick={() => change.mutate({ [lockdown]: false })}>
              End the lockdown
            </Button>
          ) : (
            <Button onClick={() => setAsking(true)}>Lock down</Button>
          )}
        </Step>
      </ul>
      {operations.length === 0 ? (
        <p className="text-secondary">
          {isRecording ? 'No unregistered operation was sent yet.' : 'Nothing is recorded.'}
        </p>
      ) : (
        <Recorded operations={operations} />
      )}
      <ConfirmDialog
        title="Execute only registered operations?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Lock down"
        isBusy={change.isPending}
        onConfirm={lock}
      >
        {operations.length === 0
          ? isRecording
            ? 'The rehearsal found nothing that would be refused.'
            : 'There was no rehearsal: clients may send operations that are refused from now on.'
          : `${count(operations.length)} recorded operations would be refused from now on.`}
      </ConfirmDialog>
    </Section>
  );
}

interface StepProps {
  readonly title: string;
  readonly state: string;
  readonly isOn: boolean;
  readonly children: ReactNode;
}

function Step({ title, state, isOn, children }: StepProps) {
  return (
    <li className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-2">
      <span className="font-medium">{title}</span>
      <span className="flex-1">
        <StatusPill tone={isOn ? 'success' : 'neutral'}>{state}</StatusPill>
      </span>
      {children}
    </li>
  );
}

function Recorded({ operations }: { readonly operations: readonly UnregisteredOperation[] }) {
  const affects = [keys.graphql.all];
  const register = useAction(
    (client, hashes: readonly string[]) => client.graphql.registerUnregistered({ hashes: [...hashes] }),
    { affects, done: ({ message }) => message },
  );
  const clear = useAction((client) => client.graphql.clearUnregistered(), { affects, done: ({ message }) => message });
  return (
    <div className="grid gap-3">
      <Notice tone="warning">
        {operations.length === 1 ? 'One operation' : `${count(operations.length)} operations`} would be refused.
      </Notice>
      <ul className="grid border-t border-line">
        {operations.map(({ hash, operation_name, query, uses, last_seen_at }) => (
          <Operation
            key={hash}
            name={operation_name ?? 'Without a name'}
            query={query}
            detail={`${uses === 1 ? 'Sent once' : `Sent ${count(uses)} times`}, last ${relativeTime(last_seen_at)}`}
          >
            <Button isBusy={register.isPending} onClick={() => register.mutate([hash])}>
              Register
            </Button>
          </Operation>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button isBusy={register.isPending} onClick={() => register.mutate(operations.map(({ hash }) => hash))}>
          Register all
        </Button>
        <Button variant="quiet" isBusy={clear.isPending} onClick={() => clear.mutate(undefined)}>
          Forget all
        </Button>
      </div>
    </div>
  );
}

function Persisted() {
  const { data, error } = useApi(keys.graphql.persisted, (client) => client.graphql.listPersisted());
  return (
    <Section title="Registered operations" lead="Clients execute them by their hash.">
      {!data ? (
        <Loading error={error} className="h-24" />
      ) : data.persisted_queries.length === 0 ? (
        <p className="text-secondary">None yet. Deployments register them with the command line or the API.</p>
      ) : (
        <ul className="grid border-t border-line">
          {data.persisted_queries.map((query) => (
            <PersistedRow key={query.hash} query={query} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function PersistedRow({ query: { hash, name, query, uses, last_used_at } }: { readonly query: PersistedQuery }) {
  const canManage = useCan()('graphql.persisted.manage');
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.graphql.deletePersisted({ hash }), {
    affects: [keys.graphql.all],
    done: () => `${name} deleted.`,
  });
  const used = last_used_at === null ? 'Never used' : `Used ${count(uses)} times, last ${relativeTime(last_used_at)}`;
  return (
    <Operation name={name} query={query} detail={used}>
      {canManage && (
        <IconButton label={`Delete ${name}`} className="-mr-2" onClick={() => setAsking(true)}>
          <Icon icon={Trash2} />
        </IconButton>
      )}
      <ConfirmDialog
        title={`Delete ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete operation"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Clients that send its hash are refused at once. {used}.
      </ConfirmDialog>
    </Operation>
  );
}

interface OperationProps {
  readonly name: string;
  readonly query: string;
  readonly detail: string;
  readonly children: ReactNode;
}

function Operation({ name, query, detail, children }: OperationProps) {
  return (
    <li className="flex items-start gap-3 border-b border-line py-2.5">
      <details className="min-w-0 flex-1">
        <summary className="cursor-pointer">
          <span className="font-medium break-words">{name}</span>
          <span className="block text-sm text-faint">{detail}</span>
        </summary>
        <pre className="mt-2 overflow-x-auto rounded-control bg-sunken p-3 text-xs">{query}</pre>
      </details>
      {children}
    </li>
  );
}
