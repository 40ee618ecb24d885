import type { TenantModule } from '@chowk/client';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { isSimple } from './setting-schema.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSettings } from './use-settings.ts';

/** The modules of the organization. `edit` in the address is the one that is open. */
export function ModulesPage() {
  const { data, error } = useApi(keys.modules, (client) => client.modules.list());
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  if (!data) return <Loading error={error} className="h-96" />;
  const groups = [
    { title: 'Optional', modules: data.modules.filter(({ is_system }) => !is_system) },
    { title: 'Part of the platform', modules: data.modules.filter(({ is_system }) => is_system) },
  ];
  return groups.map(({ title, modules }) => (
    <Section key={title} title={title}>
      <ul className="border-t border-line">
        {modules.map((module) => (
          <ModuleItem key={module.alias} module={module} modules={data.modules} isOpen={module.alias === edit} />
        ))}
      </ul>
    </Section>
  ));
}

interface ModuleItemProps {
  readonly module: TenantModule;
  readonly modules: readonly TenantModule[];
  readonly isOpen: boolean;
}

function ModuleItem({ module, modules, isOpen }: ModuleItemProps) {
  const { alias, name, version, description, is_enabled } = module;
  return (
    <li className="grid gap-4 border-b border-line py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Link
          to="."
          search={{ edit: isOpen ? undefined : alias }}
          replace
          resetScroll={false}
          aria-expanded={isOpen}
          className="grid min-h-9 min-w-0 flex-1 basis-56 content-center gap-0.5 hover:underline max-md:min-h-11"
        >
          <span className="font-medium">
            {name} <span className="numeric text-xs font-normal text-faint">{version}</span>
          </span>
          <span className="text-sm text-secondary">{description}</span>
        </Link>
        <StatusPill tone={is_enabled ? 'success' : 'neutral'}>{is_enabled ? 'Enabled' : 'Disabled'}</StatusPill>
        <Switch module={module} modules={modules} />
      </div>
      {isOpen && <Details module={module} modules={modules} />}
    </li>
  );
}

/** Modules by their names. */
function names(aliases: readonly string[], modules: readonly TenantModule[]): string {
  return aliases.map((alias) => modules.find((one) => one.alias === alias)?.name ?? alias).join(', ');
}

function Switch({ module, modules }: Omit<ModuleItemProps, 'isOpen'>) {
  const { alias, name, is_enabled, is_system, is_installed, used_by } = module;
  const can = useCan();
  const [isAsking, setAsking] = useState(false);
  // The settings and the navigation of the module come and go with it.
  const affects = [keys.modules, keys.me, keys.settings.values, keys.settings.definitions];
  const enable = useAction((client) => client.modules.enable({ alias }), {
    affects,
    done: () => `${name} enabled.`,
  });
  const disable = useAction((client) => client.modules.disable({ alias }), {
    affects,
    done: () => `${name} disabled. Its data is kept.`,
  });
  if (is_system || !can('modules.enable') || (!is_installed && !can('modules.install'))) return null;
  if (!is_enabled) {
    return (
      <Button isBusy={enable.isPending} onClick={() => enable.mutate(undefined)}>
        Enable<span className="sr-only"> {name}</span>
      </Button>
    );
  }
  if (used_by.length > 0) {
    return <span className="text-sm text-secondary">Needed by {names(used_by, modules)}</span>;
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        Disable<span className="sr-only"> {name}</span>
      </Button>
      <ConfirmDialog
        title={`Disable ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Disable"
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Its pages, endpoints and background work end with the next request, for everyone. Its data stays in the database
        and is there again when you enable it.
      </ConfirmDialog>
    </>
  );
}

function Details({ module, modules }: Omit<ModuleItemProps, 'isOpen'>) {
  const { requires, used_by, provides, is_enabled } = module;
  const canSee = useCan()('settings.view');
  const { definitions } = useSettings();
  const settings = provides.settings.filter((key) =>
    definitions.some((one) => one.key === key && isSimple(one.schema)),
  );
  const facts = [
    ['Needs', names(requires, modules) || 'No other module'],
    ['Needed by', names(used_by, modules) || 'No other module'],
    ['Provides', `${provides.actions} actions, ${provides.permissions.length} permissions`],
  ];
  return (
    <div className="grid gap-5 pl-4">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5 text-sm">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-secondary">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {is_enabled && canSee && settings.length > 0 && <SettingsForm settings={settings} />}
    </div>
  );
}
