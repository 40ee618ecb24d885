import type {
  NotificationChannels,
  NotificationPreferenceChanges,
  NotificationPreferences,
  NotificationTypePreferences,
} from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { Fragment } from 'react';
import { keys } from '../../api/query-keys.ts';
import { tenantKey, useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { useIsNarrow } from '../../screen/narrow.ts';
import { api, useTenant } from '../../session/session.ts';
import { Needs } from '../../shell/needs.tsx';
import { Checkbox, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { Devices } from './devices.tsx';
import { TimesForm } from './times-form.tsx';
import { groupTypes } from './type-groups.ts';
import { typeLabel } from './type-label.ts';

/** Over which channels the user is told what, and when. */
export function PreferencesPage() {
  return (
    <Needs permission="notifications.view">
      <Preferences />
    </Needs>
  );
}

function Preferences() {
  const { data, error } = useApi(keys.notifications.preferences, (client) => client.notifications.getPreferences());
  return (
    <Page title="Notification preferences" isNarrow>
      <Link
        to="/notifications"
        className="-mt-6 inline-flex min-h-8 items-center gap-1.5 justify-self-start text-sm text-secondary hover:text-text max-md:min-h-11"
      >
        <Icon icon={ArrowLeft} size={14} />
        All notifications
      </Link>
      {!data ? (
        <Loading error={error} className="h-64" />
      ) : (
        <>
          <Section
            title="What you hear of"
            lead="What your role works with is on until you switch it off. Changes are saved at once, for you in this organization."
          >
            <ChannelTable preferences={data.preferences} />
          </Section>
          <TimesForm preferences={data.preferences} />
          <Devices />
        </>
      )}
    </Page>
  );
}

/** Saves a change of channels, which is shown at once. Several are saved one after the other; the last one shows the result. */
function useChannels() {
  const cache = useQueryClient();
  const queryKey = tenantKey(useTenant(), keys.notifications.preferences);
  const isLast = () => cache.isMutating({ mutationKey: queryKey }) === 1;
  return useMutation({
    mutationKey: queryKey,
    scope: { id: queryKey.join() },
    mutationFn: (changes: NotificationPreferenceChanges) => api().notifications.updatePreferences(changes),
    onMutate: async ({ defaults = {}, types = [] }: NotificationPreferenceChanges) => {
      await cache.cancelQueries({ queryKey });
      const before = cache.getQueryData<{ preferences: NotificationPreferences }>(queryKey);
      if (before) {
        const { preferences } = before;
        const shown = {
          ...preferences,
          defaults: { ...preferences.defaults, ...defaults },
          types: preferences.types.map((one) => ({ ...one, ...types.find(({ type }) => type === one.type) })),
        } as NotificationPreferences;
        cache.setQueryData(queryKey, { preferences: shown });
      }
      return before;
    },
    onSuccess: ({ preferences }) => {
      if (isLast()) cache.setQueryData(queryKey, { preferences });
    },
    onError: (error, _changes, before) => {
      if (isLast()) cache.setQueryData(queryKey, before);
      void cache.invalidateQueries({ queryKey });
      toast(`The preferences could not be saved. ${errorMessage(error)}`);
    },
  });
}

function ChannelTable({ preferences: { defaults, types } }: { readonly preferences: NotificationPreferences }) {
  const { mutate } = useChannels();
  const isNarrow = useIsNarrow();
  return (
    <Table caption="Notifications and channels">
      <thead>
        <tr>
          <HeaderCell className="w-full">Notification</HeaderCell>
          <HeaderCell className="text-center!">Console</HeaderCell>
          <HeaderCell className="text-center!">Push</HeaderCell>
          {!isNarrow && <HeaderCell>Email</HeaderCell>}
        </tr>
      </thead>
      <tbody>
        {groupTypes(types).map(([heading, group]) => (
          <Fragment key={heading}>
            <GroupHeading>{heading}</GroupHeading>
            {group.map((one) => (
              <TypeRow key={one.type} preferences={one} onChange={(change) => mutate({ types: [change] })} />
            ))}
          </Fragment>
        ))}
        <GroupHeading>New types</GroupHeading>
        <ChannelRow
          title="Everything else"
          note="What modules add later, and what has no choice of its own."
          channels={defaults}
          onChange={(change) => mutate({ defaults: change })}
        />
      </tbody>
    </Table>
  );
}

function GroupHeading({ children }: { readonly children: string }) {
  const isNarrow = useIsNarrow();
  return (
    <tr>
      <th scope="rowgroup" colSpan={isNarrow ? 3 : 4} className="pt-6 pb-1.5 text-left font-semibold">
        {children}
      </th>
    </tr>
  );
}

interface TypeRowProps {
  readonly preferences: NotificationTypePreferences;
  readonly onChange: (change: Partial<NotificationChannels> & { readonly type: string }) => void;
}

function TypeRow({ preferences, onChange }: TypeRowProps) {
  const { type, description, critical } = preferences;
  return (
    <ChannelRow
      title={description ?? typeLabel(type)}
      isCritical={critical}
      channels={preferences}
      onChange={(change) => onChange({ type, ...change })}
    />
  );
}

interface ChannelRowProps {
  readonly title: string;
  readonly note?: string;
  readonly isCritical?: boolean;
  readonly channels: NotificationChannels;
  readonly onChange: (change: Partial<NotificationChannels>) => void;
}

function ChannelRow({ title, note = '', isCritical = false, channels, onChange }: ChannelRowProps) {
  const box = (channel: 'in_app' | 'push', label: string) => (
    <Checkbox
      label={
        <span className="sr-only">
          {title}: {label}
        </span>
      }
      checked={channels[channel]}
      disabled={isCritical}
      onChange={({ target }) => onChange({ [channel]: target.checked })}
    />
  );
  const isNarrow = useIsNarrow();
  const email = (
    <Select
      aria-label={`${title}: email`}
      value={channels.email}
      disabled={isCritical}
      onChange={({ target }) => onChange({ email: target.value as NotificationChannels['email'] })}
      className="w-36! max-md:w-48! md:h-8!"
    >
      <option value="off">No email</option>
      <option value="immediate">{isNarrow ? 'Email at once' : 'At once'}</option>
      <option value="digest">{isNarrow ? 'Email once a day' : 'Once a day'}</option>
    </Select>
  );
  return (
    <tr>
      <Cell className="py-2">
        <span className="block font-medium">{title}</span>
        {isCritical ? (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-secondary">
            <StatusPill tone="warning">Critical</StatusPill>
            Always sent at once. It cannot be turned off.
          </span>
        ) : (
          note !== '' && <span className="block text-xs break-words text-faint">{note}</span>
        )}
        {isNarrow && <span className="mt-2 block w-48">{email}</span>}
      </Cell>
      <Cell className="text-center max-md:align-top max-md:pt-1">{box('in_app', 'in the console')}</Cell>
      <Cell className="text-center max-md:align-top max-md:pt-1">{box('push', 'push messages')}</Cell>
      {!isNarrow && <Cell>{email}</Cell>}
    </tr>
  );
}
