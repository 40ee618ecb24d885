import type { Ring } from '@chowk/client';
import { Link, Outlet, useChildMatches } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { Loading } from '../../ui/loading.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { PlatformLayout } from './platform-layout.tsx';

/** The version of each module on each ring. Another one can be promoted from ring to ring. */
export function PlatformModulesPage() {
  const hasDetail = useChildMatches().length > 0;
  return (
    <PlatformLayout tab="/platform/modules" detail={hasDetail && <Outlet />}>
      <Modules />
    </PlatformLayout>
  );
}

function Modules() {
  const { data, error } = useApi(keys.platform.rings, (client) => client.rings.list());
  if (!data) return <Loading error={error} className="mt-4 h-80" />;
  const aliases = [...new Set(data.rings.flatMap(({ modules }) => Object.keys(modules ?? {})))].sort();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pt-3 pb-12">
      <Table caption="Module versions by ring">
        <thead>
          <tr>
            <HeaderCell>Module</HeaderCell>
            {data.rings.map((ring) => (
              <HeaderCell key={ring.name} isNumber>
                {ring.display_name}
              </HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {aliases.map((alias) => (
            <tr key={alias}>
              <Cell className="font-medium">{alias}</Cell>
              {data.rings.map((ring, index) => (
                <Cell key={ring.name} isNumber>
                  <Version alias={alias} ring={ring} others={data.rings.toSpliced(index, 1)} />
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

interface VersionProps {
  readonly alias: string;
  readonly ring: Ring;
  readonly others: readonly Ring[];
}

/** A link to the promotion, if another ring has another version. */
function Version({ alias, ring, others }: VersionProps) {
  const canManage = useCan()('platform.rings.manage');
  const version = ring.modules?.[alias];
  const text = version ?? (ring.modules ? 'None' : 'Unknown');
  const source = others.find(({ modules }) => modules?.[alias] !== undefined && modules[alias] !== version);
  if (!canManage || !ring.modules || !source) {
    return <span className={version ? '' : 'text-faint'}>{text}</span>;
  }
  return (
    <Link
      to="/platform/modules/$alias"
      params={{ alias }}
      search={{ to: ring.name, from: source.name }}
      aria-label={`${alias} ${text} on ${ring.display_name}: promote another version`}
      className="text-accent underline underline-offset-4"
    >
      {text}
    </Link>
  );
}
