import type { AuditEntry } from '@chowk/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { ChangeSentence } from '../../activity/change-sentence.tsx';
import { type Change, readChanges } from '../../activity/read-changes.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { exactTime } from '../../time/times.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { changeSearch } from './activity-search.ts';
import { outcomes } from './filters.ts';

/** What one request has changed. */
export function ChangePanel() {
  const { id } = useParams({ from: '/shell/activity/$id' });
  const search = changeSearch(useSearch({ from: '/shell/activity' }));
  const navigate = useNavigate();
  const can = useCan();
  const { data, error } = useApi(keys.activity.request(id), (client) =>
    readChanges(client, can, { request_id: id, per_page: 20 }),
  );
  return (
    <DetailPanel
      key={id}
      title={data && 'Change'}
      error={data ? null : error}
      onClose={() => void navigate({ to: '/activity', search })}
    >
      {data?.changes.length === 0 && (
        <EmptyState icon={History} title="There is no such change">
          The address may be mistyped, or the entry is no longer kept.
        </EmptyState>
      )}
      {data?.changes.map((change) => (
        <ChangeDetails key={change.id} change={change} />
      ))}
    </DetailPanel>
  );
}

const transports: Readonly<Record<AuditEntry['transport'], string>> = {
  rest: 'Console or API',
  graphql: 'GraphQL',
  mcp: 'AI assistant',
  bus: 'Another module',
  job: 'Background job',
  command: 'Command of the operator',
  system: 'The platform',
};

function ChangeDetails({ change }: { readonly change: Change }) {
  const { at, transport, outcome, error_code, request_id, resource, resource_id } = change;
  const rows = [
    ['When', exactTime(at)],
    ['Through', transports[transport]],
    ['Outcome', error_code ? `${outcomes[outcome]} (${error_code})` : outcomes[outcome]],
    ['Action', change.action],
    ['Request', request_id],
  ] as const;
  return (
    <div className="grid gap-6">
      <p className="-mt-2">
        <ChangeSentence change={change} />
      </p>
      <FieldChanges changes={change.changes} />
      <dl className="grid grid-cols-[7rem_1fr] gap-y-2 text-sm">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-secondary">{label}</dt>
            <dd className="min-w-0 break-all">{value}</dd>
          </div>
        ))}
      </dl>
      {resource_id !== null && (
        <Link
          to="/activity"
          search={{ resource, resource_id }}
          className="justify-self-start text-sm text-accent underline-offset-4 hover:underline"
        >
          All changes of this record
        </Link>
      )}
    </div>
  );
}

/** Each field before and after. */
function FieldChanges({ changes }: { readonly changes: unknown }) {
  const fields = Object.entries((changes ?? {}) as Record<string, unknown>);
  if (fields.length === 0) return null;
  return (
    <Section title="What changed">
      <Table caption="What changed">
        <thead>
          <tr>
            <HeaderCell>Field</HeaderCell>
            <HeaderCell>Before</HeaderCell>
            <HeaderCell>After</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {fields.map(([field, values]) => (
            <tr key={field} className="align-top">
              <Cell className="py-2">{field.replaceAll('_', ' ')}</Cell>
              {Array.isArray(values) ? (
                <>
                  <Cell className="py-2 break-all text-secondary">{valueText(values[0])}</Cell>
                  <Cell className="py-2 break-all">{valueText(values[1])}</Cell>
                </>
              ) : (
                <>
                  <Cell className="py-2 text-faint">Not recorded: personal data</Cell>
                  <Cell />
                </>
              )}
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
