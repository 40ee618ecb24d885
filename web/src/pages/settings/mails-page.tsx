import type { NotificationRulePreset } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { MailForm } from './mail-form.tsx';

const moments: Readonly<Partial<Record<string, string>>> = {
  order_received: 'As soon as an order comes in',
  order_confirmed: 'When an order is confirmed',
  order_shipped: 'When a parcel leaves, with its tracking',
  order_refunded: 'When money is paid back',
};

export function MailsPage() {
  const { data, error } = useApi(keys.notifications.presets, (client) => client.notifications.listRulePresets());
  const { edit } = useSearch({ from: '/shell/settings/$page' });
  const navigate = useNavigate();
  const show = (key: string | undefined) =>
    void navigate({ to: '.', search: key === undefined ? {} : { edit: key }, replace: true });
  if (!data) return <Loading error={error} className="h-80" />;
  return (
    <div className="grid gap-4">
      <p className="max-w-prose text-secondary">
        Sent to the customer of an order by itself, in the name of your organization. Customers without an email address
        get none.
      </p>
      <ul className="border-t border-line">
        {data.presets.map((preset) => (
          <PresetRow
            key={preset.key}
            preset={preset}
            isOpen={edit === preset.key}
            onOpen={() => show(preset.key)}
            onClose={() => show(undefined)}
          />
        ))}
      </ul>
    </div>
  );
}

interface PresetRowProps {
  readonly preset: NotificationRulePreset;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

function PresetRow({ preset, isOpen, onOpen, onClose }: PresetRowProps) {
  const { key, is_active, rule_id } = preset;
  const name = preset.name ?? key;
  const affects = [keys.notifications.presets];
  const on = useAction((client) => client.notifications.switchOnRulePreset({ key }), {
    affects,
    done: () => `${name}: customers get this mail from now on.`,
  });
  const off = useAction((client, id: string) => client.notifications.updateRule({ id, is_active: false }), {
    affects,
    done: () => `${name}: no more mails.`,
  });
  const button = useReturnFocus(isOpen);
  return (
    <li className="grid gap-4 border-b border-line py-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5">
        <div className="grid min-w-48 flex-1 gap-0.5">
          <div className="flex items-center gap-2">
            <h2 className="font-medium">{name}</h2>
            {is_active ? <StatusPill tone="success">On</StatusPill> : <StatusPill>Off</StatusPill>}
          </div>
          <p className="text-sm text-secondary">{moments[key]}</p>
        </div>
        <div className="flex gap-2">
          <Button
            ref={button}
            variant="quiet"
            aria-label={`${isOpen ? 'Close' : 'Show text of'} ${name}`}
            className="max-sm:-ml-3.5"
            aria-expanded={isOpen}
            onClick={isOpen ? onClose : onOpen}
          >
            {isOpen ? 'Close' : 'Show text'}
          </Button>
          <Button
            aria-label={`Switch ${is_active ? 'off' : 'on'} ${name}`}
            className="w-28"
            isBusy={on.isPending || off.isPending}
            onClick={() => (is_active && rule_id ? off.mutate(rule_id) : on.mutate(undefined))}
          >
            {is_active ? 'Switch off' : 'Switch on'}
          </Button>
        </div>
      </div>
      {isOpen && <MailForm key={JSON.stringify(preset.template)} preset={preset} onClose={onClose} />}
    </li>
  );
}
