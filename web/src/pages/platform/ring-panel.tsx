import type { Ring } from '@chowk/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { History } from './history.tsx';
import { RingStatus } from './rings-page.tsx';

export function RingPanel() {
  const { name } = useParams({ from: '/shell/platform/rings/$name' });
  const navigate = useNavigate();
  const canManage = useCan()('platform.rings.manage');
  const { data, error } = useApi(keys.platform.rings, (client) => client.rings.list());
  const ring = data?.rings.find((one) => one.name === name);
  const unknown = data && !ring ? new Error(`There is no ring ${name}.`) : null;
  return (
    <DetailPanel
      key={name}
      title={ring?.display_name}
      error={ring ? null : (error ?? unknown)}
      onClose={() => navigate({ to: '/platform/rings' })}
      actions={ring && canManage && <ReloadButton ring={ring} />}
    >
      {ring && (
        <>
          <Details ring={ring} />
          <Section title="History">
            <History filters={{ ring: name }} />
          </Section>
        </>
      )}
    </DetailPanel>
  );
}

function ReloadButton({ ring: { name, display_name } }: { readonly ring: Ring }) {
  const [isAsking, setAsking] = useState(false);
  const reload = useAction((client) => client.rings.reload({ name }), {
    affects: [keys.platform.rings, keys.platform.histories],
    done: () => `${display_name} is being reloaded.`,
  });
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        <Icon icon={RotateCcw} />
        Reload
      </Button>
      <ConfirmDialog
        title={`Reload ${display_name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Reload"
        isBusy={reload.isPending}
        onConfirm={() => reload.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Its process is replaced by one that reads the lock file again. Requests in flight finish, and the earlier
        process goes on if the new one does not start.
      </ConfirmDialog>
    </>
  );
}

function Details({ ring }: { readonly ring: Ring }) {
  const rows = [
    ['Name', ring.name],
    ['Host names', `<tenant>.${ring.hostname_segment}`],
    ['Lock file', ring.manifest_path],
    ['Service', ring.k8s_service && `${ring.k8s_service} in ${ring.k8s_namespace}`],
    ['Platform', ring.platform_version ?? 'Not started yet'],
  ] as const;
  return (
    <>
      <div className="-mt-4 flex flex-wrap items-center gap-3">
        <RingStatus ring={ring} />
        <Link to="/platform" search={{ ring: ring.name }} className="text-accent underline-offset-4 hover:underline">
          {ring.tenants} {ring.tenants === 1 ? 'tenant' : 'tenants'}
        </Link>
      </div>
      {ring.description && <p className="text-secondary">{ring.description}</p>}
      <dl className="grid grid-cols-[7rem_1fr] gap-y-2">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label} className="contents">
                <dt className="text-secondary">{label}</dt>
                <dd className="min-w-0 break-all">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}
