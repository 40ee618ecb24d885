import type { Client, ClientRequest } from '@chowk/client';
import type { Key } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { exactTime } from '../../time/times.ts';
import { Loading } from '../../ui/loading.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';

interface ClientRequestsProps {
  readonly queryKey: Key;
  readonly read: (client: Client) => Promise<{ readonly requests: readonly ClientRequest[] }>;
}

/** The latest requests of a program, to find out what it does and why it was refused. */
export function ClientRequests({ queryKey, read }: ClientRequestsProps) {
  const { data, error } = useApi(queryKey, read);
  if (!data) return <Loading error={error} className="h-40" />;
  if (data.requests.length === 0) return <p className="text-secondary">None in the last 30 days.</p>;
  return (
    <Table caption="Requests, newest first">
      <thead>
        <tr>
          <HeaderCell>Time</HeaderCell>
          <HeaderCell>Request</HeaderCell>
          <HeaderCell>Status</HeaderCell>
          <HeaderCell isNumber>Duration</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {data.requests.map(({ id, at, method, path, status, duration_ms, request_id }) => (
          <tr key={id} title={`${exactTime(at)} · ${request_id}`}>
            <Cell className="whitespace-nowrap text-secondary">
              <RelativeTime time={at} />
            </Cell>
            <Cell className="break-all">
              {method} {path}
            </Cell>
            <Cell>
              <StatusPill tone={status < 400 ? 'success' : status < 500 ? 'warning' : 'error'}>{status}</StatusPill>
            </Cell>
            <Cell isNumber className="whitespace-nowrap">
              {Math.round(duration_ms)} ms
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
