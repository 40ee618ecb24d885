import type { Domain } from '@chowk/client';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Setting } from '../../ui/setting.tsx';
import { toast } from '../../ui/toast.tsx';
import { DomainCheck } from './domain-check.tsx';

/** The addresses of the organization, below the domain of the platform. */
export function DomainsPage() {
  const domains = useApi(keys.settings.domains, (client) => client.domains.list());
  const organization = useApi(keys.settings.organization, (client) => client.organization.get());
  if (!domains.data || !organization.data) {
    return <Loading error={domains.error ?? organization.error} className="h-72" />;
  }
  const { domain: main } = organization.data.organization;
  const base = main.slice(main.indexOf('.') + 1);
  return (
    <div className="grid gap-8">
      <Setting title="Addresses" lead="Each leads to this organization. Links in mails have the main one.">
        <ul className="grid border-t border-line">
          {domains.data.domains.map((domain) => (
            <DomainRow
              key={domain.domain}
              domain={domain}
              host={`${domain.domain}.${base}`}
              isMain={`${domain.domain}.${base}` === main}
            />
          ))}
        </ul>
        <AddForm base={base} />
      </Setting>
      <Setting title="DNS" lead="Set once for the whole platform, by those who run it.">
        <p className="text-secondary">
          All addresses work with one record. If the check of an address fails, ask for it:
        </p>
        <dl className="grid grid-cols-[5rem_minmax(0,1fr)] gap-y-1 rounded-panel bg-sunken p-4 text-sm">
          <dt className="text-secondary">Name</dt>
          <dd>
            <code className="break-all">*.{base}</code>
          </dd>
          <dt className="text-secondary">Type</dt>
          <dd>
            <code>CNAME</code>
          </dd>
          <dt className="text-secondary">Value</dt>
          <dd>
            <code className="break-all">{base}</code>
          </dd>
        </dl>
      </Setting>
    </div>
  );
}

interface DomainRowProps {
  readonly domain: Domain;
  readonly host: string;
  readonly isMain: boolean;
}

function DomainRow({ domain: { domain, kind }, host, isMain }: DomainRowProps) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.domains.delete({ domain }), {
    affects: [keys.settings.domains],
    done: () => `${host} removed.`,
  });
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1.5">
      <span className="min-w-0 flex-1 basis-60 font-medium break-all">
        {host}
        {isMain && <span className="ml-2 font-normal text-faint">main</span>}
        {kind === 'random' && <span className="ml-2 font-normal text-faint">permanent</span>}
      </span>
      <DomainCheck host={host} />
      {kind === 'alias' && !isMain ? (
        <IconButton label={`Remove ${host}`} className="-mr-2" onClick={() => setAsking(true)}>
          <Icon icon={Trash2} />
        </IconButton>
      ) : (
        <span className="w-7" />
      )}
      <ConfirmDialog
        title={`Remove ${host}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Remove address"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Links with it stop working, and another organization may take it.
      </ConfirmDialog>
    </li>
  );
}

function AddForm({ base }: { readonly base: string }) {
  const refetch = useRefetch();
  const form = useForm<{ readonly domain: string }>(async ({ domain }) => {
    const { domain: added } = await api().domains.create({ domain: domain.trim() });
    toast(`${added.domain}.${base} added.`);
    form.discard();
    await refetch(keys.settings.domains);
  });
  return (
    <form {...form.props} className="grid gap-2">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-48 flex-1">
          <Field label="New address" help={`The part before .${base}`} {...form.field('domain')}>
            {(control) => <Input {...control} autoCapitalize="none" spellCheck={false} autoComplete="off" />}
          </Field>
        </div>
        <Button type="submit" className="mt-6.5" isBusy={form.isBusy}>
          Add
        </Button>
      </div>
    </form>
  );
}
