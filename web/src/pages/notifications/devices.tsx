import type { Device } from '@chowk/client';
import { Monitor, Smartphone } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

const labels: Readonly<Record<Device['platform'], string>> = {
  ios: 'iPhone or iPad',
  android: 'Android device',
  web: 'Browser',
};

/** What gets the user's push messages. */
export function Devices() {
  const { data, error } = useApi(keys.devices, (client) => client.notifications.listDevices());
  return (
    <Section title="Devices" lead="They get push messages of this organization, until the app is signed out.">
      {!data ? (
        <Loading error={error} className="h-11" />
      ) : data.devices.length === 0 ? (
        <p className="text-secondary">No devices. An app registers its device when you sign in there.</p>
      ) : (
        <ul className="border-t border-line">
          {data.devices.map((device) => (
            <DeviceRow key={device.id} device={device} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function DeviceRow({ device: { id, platform, token, updated_at } }: { readonly device: Device }) {
  const remove = useAction((client, _input: undefined) => client.notifications.deleteDevice({ id }), {
    affects: [keys.devices],
    done: () => `${labels[platform]} removed. It gets no more push messages.`,
  });
  const icon = platform === 'web' ? Monitor : Smartphone;
  return (
    <li className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <Icon icon={icon} className="shrink-0 text-secondary" />
      <div className="min-w-0 flex-1">
        <div className="font-medium">{labels[platform]}</div>
        <div className="truncate text-xs text-faint">
          Registered <RelativeTime time={updated_at} /> · …{token.slice(-6)}
        </div>
      </div>
      <Button variant="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(undefined)}>
        Remove<span className="sr-only"> the {labels[platform]}</span>
      </Button>
    </li>
  );
}
