import type { PlatformTenant } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { exactTime } from '../../time/times.ts';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { roles, statuses } from '../reseller/tenant-list.ts';
import { AssignRing } from './assign-ring.tsx';
import { History } from './history.tsx';
import { TenantActions } from './tenant-actions.tsx';
import { isChanging, listSearch, moveSteps } from './tenant-list.ts';
import { useRepeat } from './use-repeat.ts';

export function PlatformTenantPanel() {
  const { id } = useParams({ from: '/shell/platform/tenants/$id' });
  const search = listSearch(useSearch({ from: '/shell/platform' }));
  const navigate = useNavigate();
  const canManage = useCan()('platform.rings.manage');
  const { data, error } = useApi(keys.platform.tenant(id), (client) => client.platform.getTenant({ id }));
  const tenant = data?.tenant;
  useRepeat(tenant !== undefined && isChanging(tenant), keys.platform.tenants, keys.platform.histories);
  return (
    <DetailPanel
      key={id}
      title={tenant?.name}
      error={tenant ? null : error}
      onClose={() => navigate({ to: '/platform', search })}
      actions={tenant && canManage && <TenantActions tenant={tenant} />}
    >
      {tenant && (
        <>
          <Summary tenant={tenant} />
          <Details tenant={tenant} />
          {canManage && <AssignRing key={tenant.ring} tenant={tenant} />}
          <Section title="History">
            <History filters={{ tenant_id: id }} />
          </Section>
        </>
      )}
    </DetailPanel>
  );
}

function Summary({ tenant }: { readonly tenant: PlatformTenant }) {
  const { status, suspension_reason, move } = tenant;
  return (
    <div className="-mt-4 grid gap-4">
      <p>
        <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
      </p>
      {status === 'suspended' && (
        <Notice tone="warning">
          All requests are refused, and jobs wait. {suspension_reason && `The reason: ${suspension_reason}`}
        </Notice>
      )}
      {move && (
        <Notice>
          Moving to the database server {move.server}. {moveSteps[move.step]}
        </Notice>
      )}
    </div>
  );
}

function Details({ tenant }: { readonly tenant: PlatformTenant }) {
  const canManage = useCan()('platform.rings.manage');
  const rows = [
    ['Id', tenant.id],
    ['Kind', roles[tenant.role]],
    ['Domains', tenant.domains.join(', ')],
    // Those who may change it see it below.
    ...(canManage ? [] : [['Ring', tenant.ring] as const]),
    ['Database server', tenant.database_server],
    ['Since', exactTime(tenant.created_at)],
  ] as const;
  return (
    <dl className="grid grid-cols-[8rem_1fr] gap-y-2">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="text-secondary">{label}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
