import type { Ring } from '@chowk/client';
import { Link, Outlet, useChildMatches } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Loading } from '../../ui/loading.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { PlatformLayout } from './platform-layout.tsx';

/** Sets of module versions, the most conservative first, and the ring that is open beside them. */
export function RingsPage() {
  const hasDetail = useChildMatches().length > 0;
  return (
    <PlatformLayout tab="/platform/rings" detail={hasDetail && <Outlet />}>
      <Rings />
    </PlatformLayout>
  );
}

function Rings() {
  const { data, error } = useApi(keys.platform.rings, (client) => client.rings.list());
  if (!data) return <Loading error={error} className="mt-4 h-40" />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pt-3 pb-12">
      <Table caption="Rings">
        <thead>
          <tr>
            <HeaderCell>Ring</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <HeaderCell isNumber>Tenants</HeaderCell>
            <HeaderCell isNumber className="max-md:hidden">
              Modules
            </HeaderCell>
            <HeaderCell className="max-md:hidden">Platform</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.rings.map((ring) => (
            <tr key={ring.id}>
              <Cell className="max-w-72 py-1.5">
                <Link
                  to="/platform/rings/$name"
                  params={{ name: ring.name }}
                  className="block truncate font-medium hover:underline"
                >
                  {ring.display_name}
                </Link>
                {ring.description && <span className="block truncate text-xs text-faint">{ring.description}</span>}
              </Cell>
              <Cell>
                <RingStatus ring={ring} />
              </Cell>
              <Cell isNumber>{count(ring.tenants)}</Cell>
              <Cell isNumber className="max-md:hidden">
                {ring.modules ? count(Object.keys(ring.modules).length) : <span className="text-faint">Unknown</span>}
              </Cell>
              <Cell className="max-md:hidden">
                {ring.platform_version ?? <span className="text-faint">Not started yet</span>}
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

export function RingStatus({ ring: { is_active, is_default } }: { readonly ring: Ring }) {
  if (is_default) return <StatusPill tone="info">For new tenants</StatusPill>;
  return is_active ? <StatusPill tone="success">Active</StatusPill> : <StatusPill>Not active</StatusPill>;
}
