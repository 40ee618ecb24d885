import type { PlatformFigureSample } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { count, fileSize } from '../../format/numbers.ts';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { PlatformLayout } from './platform-layout.tsx';
import { SmallChart } from './small-chart.tsx';
import { useRepeat } from './use-repeat.ts';

/** Whether everything is up, and the latest figures. */
export function HealthPage() {
  useRepeat(true, keys.platform.health, keys.platform.figures, keys.platform.servers);
  return (
    <PlatformLayout tab="/platform/health">
      <div className="grid min-h-0 flex-1 content-start gap-8 overflow-y-auto pt-4 pb-12">
        <Services />
        <Figures />
        <Servers />
      </div>
    </PlatformLayout>
  );
}

const tones: Readonly<Record<string, Tone>> = { up: 'success', not_configured: 'neutral' };
const words: Readonly<Record<string, string>> = {
  up: 'Up',
  down: 'Down',
  full: 'Disk full',
  read_only: 'Read-only',
  not_configured: 'Not configured',
};

function State({ status }: { readonly status: string }) {
  return <StatusPill tone={tones[status] ?? 'error'}>{words[status] ?? status}</StatusPill>;
}

function Services() {
  const { data, error } = useApi(keys.platform.health, (client) => client.health.ready());
  if (!data) return <Loading error={error} className="h-20" />;
  const { database_servers, storage, redis } = data;
  const services = [
    ['Central database', database_servers.main ?? 'down'],
    ['Storage', storage],
    ['Redis', redis],
  ] as const;
  return (
    <Section title="Services">
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        {services.map(([label, status]) => (
          <div key={label} className="grid gap-1">
            <dt className="text-sm text-secondary">{label}</dt>
            <dd>
              <State status={status} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

interface Chart {
  readonly label: string;
  readonly value: (sample: PlatformFigureSample) => number;
  readonly format: (value: number) => string;
}

const milliseconds = (value: number) => `${value < 10 ? value.toFixed(1) : count(Math.round(value))} ms`;

function charts(seconds: number): readonly Chart[] {
  return [
    { label: 'Requests a second', value: (one) => one.requests / seconds, format: (value) => value.toFixed(1) },
    { label: 'Mean duration', value: (one) => one.duration_ms, format: milliseconds },
    { label: 'Errors (500 and above)', value: (one) => one.errors, format: count },
    { label: 'Longest pause of the process', value: (one) => one.delay_ms, format: milliseconds },
    { label: 'Memory', value: (one) => one.memory_bytes, format: fileSize },
    { label: 'Database connections in use', value: (one) => one.busy_connections, format: count },
    { label: 'Waiting for a connection', value: (one) => one.waiting, format: count },
    { label: 'Open sockets', value: (one) => one.sockets, format: count },
  ];
}

function Figures() {
  const { data, error } = useApi(keys.platform.figures, (client) => client.platform.figures());
  return (
    <Section
      title="The last half hour"
      lead="Figures of the process that answers you. Prometheus reads all processes at /metrics and keeps more."
    >
      {data ? (
        <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 xl:grid-cols-4">
          {charts(data.seconds).map(({ label, value, format }) => (
            <SmallChart key={label} label={label} values={data.samples.map(value)} format={format} />
          ))}
        </div>
      ) : (
        <Loading error={error} className="h-56" />
      )}
    </Section>
  );
}

function Servers() {
  const { data, error } = useApi(keys.platform.servers, (client) => client.platform.listServers());
  return (
    <Section title="Database servers" lead="Set in DATABASE_SERVERS. New tenants go where there are fewest by weight.">
      {data ? (
        <Table caption="Database servers">
          <thead>
            <tr>
              <HeaderCell>Server</HeaderCell>
              <HeaderCell>Status</HeaderCell>
              <HeaderCell isNumber>Tenants</HeaderCell>
              <HeaderCell isNumber>Weight</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {data.servers.map(({ name, status, tenants, weight }) => (
              <tr key={name}>
                <Cell className="font-medium">{name}</Cell>
                <Cell>
                  <State status={status} />
                </Cell>
                <Cell isNumber>{count(tenants)}</Cell>
                <Cell isNumber>{count(weight)}</Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      ) : (
        <Loading error={error} className="h-24" />
      )}
    </Section>
  );
}
