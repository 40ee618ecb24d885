import type { RingOperation } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useMemberName } from '../../people/member-name.ts';
import { Loading } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';

interface HistoryProps {
  readonly filters: { readonly tenant_id?: string; readonly ring?: string };
}

/** What operators did, with commands and here. */
export function History({ filters }: HistoryProps) {
  const { data, error } = useApi(keys.platform.history(filters), (client) =>
    client.rings.operations({ ...filters, per_page: 20 }),
  );
  if (!data) return <Loading error={error} className="h-24" />;
  if (data.operations.length === 0) return <p className="text-secondary">Nothing has been done yet.</p>;
  return (
    <ol className="grid gap-2.5">
      {data.operations.map((operation) => (
        <Entry key={operation.id} operation={operation} />
      ))}
    </ol>
  );
}

function Entry({ operation }: { readonly operation: RingOperation }) {
  const memberName = useMemberName();
  const { at, operator, status, reason, forced } = operation;
  const userId = /^user (\d+)$/.exec(operator)?.[1];
  const name = (userId !== undefined && memberName(Number(userId))) || operator;
  return (
    <li className="grid gap-0.5">
      <span className="flex flex-wrap items-center gap-x-2">
        <span>{describeOperation(operation)}</span>
        {status === 'failed' && <StatusPill tone="error">Failed</StatusPill>}
        {forced && <StatusPill tone="warning">Forced</StatusPill>}
      </span>
      {reason && <span className="text-sm break-words text-secondary">{reason}</span>}
      <span className="text-sm text-faint">
        <span className="inline-block first-letter:uppercase">{name}</span>, <RelativeTime time={at} />
      </span>
    </li>
  );
}

/** `Orders 1.0.0 → 1.1.0 on stable`. Others are described by their name. */
export function describeOperation(operation: RingOperation): string {
  const { operation: name, ring, alias, from_value: from, to_value: to } = operation;
  switch (name) {
    case 'assign':
      return `Ring ${from} → ${to}`;
    case 'suspend':
      return 'Suspended';
    case 'resume':
      return 'Resumed';
    case 'export':
      return 'Exported';
    case 'clone':
      return `Copied to ${to}`;
    case 'move':
      return `Moved from the database server ${from} to ${to}`;
    case 'promote':
      return `${alias} ${from ?? 'new'} → ${to} on ${ring}`;
    case 'reload':
      return `${ring} reloaded`;
    default:
      return [name, alias, to].filter(Boolean).join(' ');
  }
}
