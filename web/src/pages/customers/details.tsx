import type { CustomerDetail } from '@chowk/client';
import type { ReactNode } from 'react';
import { customerName } from '../../people/customer-name.ts';
import { exactTime } from '../../time/times.ts';
import { TaxExemption } from './tax-exemption.tsx';

/** Notes, taxes, ids on other platforms, and what modules have stored about the customer. */
export function Details({ customer }: { readonly customer: CustomerDetail }) {
  const { notes, external_ids, metadata, created_at, updated_at, id } = customer;
  const modules = [...new Set(metadata.map(({ module_source }) => module_source))];
  return (
    <div className="grid min-w-0 gap-6">
      <Group title="Notes">
        {notes ? (
          <p className="break-words whitespace-pre-wrap">{notes}</p>
        ) : (
          <p className="text-secondary">No notes.</p>
        )}
      </Group>
      <Group title="Marketing">
        <Consents customer={customer} />
      </Group>
      <Group title="Taxes">
        <TaxExemption customerId={id} />
      </Group>
      {Object.keys(external_ids).length > 0 && (
        <Group title="On other platforms">
          <Pairs pairs={Object.entries(external_ids)} />
        </Group>
      )}
      {modules.map((module) => (
        <Group key={module} title={`Stored by ${module}`}>
          <Pairs
            pairs={metadata
              .filter(({ module_source }) => module_source === module)
              .map(({ key, value }) => [key, value] as const)}
          />
        </Group>
      ))}
      <Group title="Record">
        <Pairs
          pairs={[
            ['Name', customerName(customer)],
            ['Created', exactTime(created_at)],
            ['Changed', exactTime(updated_at)],
            ['Id', id],
          ]}
        />
      </Group>
    </div>
  );
}

const sources: Readonly<Record<string, string>> = {
  creation: 'when the customer was created',
  update: 'in the customer record',
  unsubscribe_link: 'with the link in a mail',
};

/** Whether the customer accepts marketing messages, and how that has changed. */
function Consents({ customer: { accepts_marketing, consents } }: { readonly customer: CustomerDetail }) {
  return (
    <>
      <p>{accepts_marketing ? 'Accepts marketing messages.' : 'Does not accept marketing messages.'}</p>
      {consents.length > 0 && (
        <ul className="grid gap-1 text-sm text-secondary">
          {consents.map(({ accepts_marketing: isAccepted, source, created_at }) => (
            <li key={created_at}>
              {exactTime(created_at)}: {isAccepted ? 'accepted' : 'withdrawn'} {sources[source] ?? `by ${source}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-1.5">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Pairs({ pairs }: { readonly pairs: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="grid gap-1 text-sm">
      {pairs.map(([name, value]) => (
        <div key={name} className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3">
          <dt className="truncate text-secondary" title={name}>
            {name}
          </dt>
          <dd className="break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
