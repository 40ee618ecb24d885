import type { AppRequest, Client, Me } from '@chowk/client';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useMe } from '../../api/use-api.ts';
import { useForm } from '../../form/use-form.ts';
import { areaTitle, groupByArea } from '../../permissions/permissions.ts';
import { api, chooseTenant, useTenant } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { EntryLayout } from '../../ui/entry-layout.tsx';
import { Checkbox, Field, Select } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { isPasswordMissing, PasswordField } from '../account/password-field.tsx';
import { HomeLink } from './home-link.tsx';

const problems: Readonly<Record<string, string>> = {
  'identity.unknown_app': 'The app that sent you here is not registered.',
  'identity.wrong_redirect_uri':
    'The app that sent you here wants an answer at an address that is not registered for it.',
};

/** Asks whether an app may have access. The address comes from the app, so that nothing happens before a click. */
export function AuthorizePage() {
  const { problem, ...request } = useSearch({ from: '/authorize' });
  const title = 'Connect an app';
  if (problem !== undefined) {
    return (
      <EntryLayout title={title}>
        <Notice tone="error">
          {problems[problem] ?? 'The app that sent you here has made a wrong request.'} Nothing was connected.
        </Notice>
        <HomeLink />
      </EntryLayout>
    );
  }
  return <Request request={request} title={title} />;
}

type Parameters = NonNullable<NonNullable<globalThis.Parameters<Client['appRequests']['preview']>>[0]>;

interface RequestProps {
  readonly request: Parameters;
  readonly title: string;
}

function Request({ request, title }: RequestProps) {
  const { data: me } = useMe();
  const { data, error } = useApi(keys.appRequest(request), (client) => client.appRequests.preview(request));
  const asked = data?.request;
  useNamedTenant(me, asked);
  if (error || !asked || !me) {
    return (
      <EntryLayout title={title}>
        <Loading error={error} className="h-40" />
      </EntryLayout>
    );
  }
  if (me.tenants.length === 0) {
    return (
      <EntryLayout title={title}>
        <Notice tone="error">You are not a member of an organization.</Notice>
      </EntryLayout>
    );
  }
  return (
    <EntryLayout title={`Connect ${asked.app.name}?`} lead={<Publisher {...asked.app} />}>
      <Decision key={me.tenant_id} me={me} asked={asked} request={request} />
    </EntryLayout>
  );
}

/** The organization that the request names, else the last or the first one. */
function useNamedTenant(me: Me | undefined, asked: AppRequest | undefined): void {
  const tenant = useTenant();
  const isOffered = me?.tenants.some(({ id }) => id === asked?.tenant) ?? false;
  const next = isOffered ? asked?.tenant : tenant === undefined && !me?.tenant_id ? me?.tenants[0]?.id : undefined;
  useEffect(() => {
    if (next !== undefined && next !== null && next !== tenant) chooseTenant(next);
  }, [next, tenant]);
}

function Publisher({ publisher }: Pick<AppRequest['app'], 'publisher'>) {
  return publisher === null ? (
    <span className="text-warning">This app has registered itself: its name is not verified.</span>
  ) : (
    <>An app by {publisher}.</>
  );
}

interface DecisionProps {
  readonly me: Me;
  readonly asked: AppRequest;
  readonly request: Parameters;
}

interface Values {
  readonly password?: string;
}

function Decision({ me, asked, request }: DecisionProps) {
  const { app, acts_as, scopes, redirect_host } = asked;
  const held = scopes.filter(({ is_held }) => is_held);
  // What a stranger asks for is not given by a hasty click.
  const [chosen, setChosen] = useState(() =>
    held.filter(({ is_sensitive }) => app.publisher !== null || !is_sensitive).map(({ name }) => name),
  );
  const [isPasswordAsked, setPasswordAsked] = useState(false);
  const approve = useForm<Values>(async ({ password }) => {
    try {
      const confirmation = password === undefined ? {} : { password };
      leave(await api().appRequests.approve({ ...request, approved_scopes: chosen, ...confirmation }));
    } catch (error) {
      if (isPasswordMissing(error)) setPasswordAsked(true);
      throw error;
    }
  });
  const deny = useForm(async () => leave(await api().appRequests.deny(request)));
  const toggle = (name: string) =>
    setChosen((names) => (names.includes(name) ? names.filter((one) => one !== name) : [...names, name]));
  return (
    <div className="grid gap-5">
      <Organization me={me} isFixed={asked.tenant !== null} />
      <p className="text-sm text-secondary">
        {acts_as === 'user'
          ? `It acts as you, ${me.name} (${me.email}), and never has more rights than you.`
          : 'It acts for the organization, also while nobody is signed in, with at most your rights.'}
      </p>
      <form {...approve.props} id="approve" className="grid gap-4">
        {(approve.problem ?? deny.problem) && <Notice tone="error">{approve.problem ?? deny.problem}</Notice>}
        <fieldset className="grid gap-3">
          <legend className="pb-2 text-sm font-medium">It may</legend>
          <div className="grid max-h-96 gap-3 overflow-y-auto rounded-control border border-line p-4">
            {groupByArea(held.map(({ name }) => name)).map(([area, names]) => (
              <div key={area} className="grid">
                <p className="text-xs font-medium text-secondary">{areaTitle(area)}</p>
                {names.map((name) => (
                  <Checkbox
                    key={name}
                    checked={chosen.includes(name)}
                    onChange={() => toggle(name)}
                    label={<Scope {...held.find((one) => one.name === name)} />}
                  />
                ))}
              </div>
            ))}
            {held.length === 0 && (
              <p className="text-sm text-secondary">You have none of the permissions that it asks for.</p>
            )}
          </div>
        </fieldset>
        {isPasswordAsked && <PasswordField {...approve.field('password')} />}
      </form>
      <p className="text-sm text-secondary">
        You continue at <span className="font-medium break-all text-text">{redirect_host}</span>. You can end its access
        at any time in your profile.
      </p>
      <div className="grid grid-cols-2 gap-2">
        <form {...deny.props} className="grid">
          <Button type="submit" isBusy={deny.isBusy}>
            Cancel
          </Button>
        </form>
        <Button type="submit" form="approve" variant="primary" isBusy={approve.isBusy} disabled={chosen.length === 0}>
          Connect
        </Button>
      </div>
    </div>
  );
}

function Scope({ description, is_sensitive }: { readonly description?: string; readonly is_sensitive?: boolean }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-sm">
      {description}
      {is_sensitive && <StatusPill tone="warning">Sensitive</StatusPill>}
    </span>
  );
}

/** At the address of one organization, or if the request names one, there is nothing to choose. */
function Organization({ me, isFixed }: { readonly me: Me; readonly isFixed: boolean }) {
  const tenant = useTenant();
  const current = me.tenants.find(({ id }) => id === (me.tenant_id ?? tenant));
  if (isFixed || tenant === undefined || me.tenants.length < 2) {
    return (
      <p className="border-y border-line py-3">
        <span className="text-sm text-secondary">Organization </span>
        <span className="font-medium wrap-anywhere">{current?.name}</span>
      </p>
    );
  }
  return (
    <Field label="Organization" name="organization" error={undefined}>
      {(control) => (
        <Select {...control} value={current?.id} onChange={({ target }) => chooseTenant(target.value)}>
          {me.tenants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** To the app; the page must not come back with the button of the browser. */
function leave({ redirect_to }: { readonly redirect_to: string }): void {
  location.replace(redirect_to);
}
