import type { Product, StockMovement } from '@chowk/client';
import { useState } from 'react';
import { errorMessage } from '../../api/error-message.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { StockForm } from './stock-form.tsx';

const shownAtFirst = 8;
const shownAtMost = 100;

/** How many units there are, and how it came to that. */
export function StockSection({ product }: { readonly product: Product }) {
  const { id, stock, reserved, available } = product;
  const canEdit = useCan()('products.edit');
  const [size, setSize] = useState(shownAtFirst);
  const { data, error } = useApi(keys.products.movements(id, size), (client) =>
    client.products.movements({ id, per_page: size }),
  );
  const trigger = (
    <Button variant="quiet" className="-mr-3.5">
      Change stock
    </Button>
  );
  return (
    <Section title="Stock" actions={canEdit && <StockForm product={product} trigger={trigger} />}>
      <dl className="grid grid-cols-3 divide-x divide-line border-y border-line py-3">
        <Figure label="On hand" value={stock} />
        <Figure label="Reserved" value={reserved} />
        <Figure label="Available" value={available} isAlarming={available <= 0} />
      </dl>
      {data === undefined && error ? (
        <Notice tone="error">{errorMessage(error)}</Notice>
      ) : data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : data.movements.length === 0 ? (
        <p className="text-sm text-secondary">The stock has never changed.</p>
      ) : (
        <Movements movements={data.movements} />
      )}
      {size === shownAtFirst && data && data.pagination.total > shownAtFirst && (
        <Button variant="quiet" className="justify-self-start -ml-3.5" onClick={() => setSize(shownAtMost)}>
          Show more movements
        </Button>
      )}
    </Section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number;
  readonly isAlarming?: boolean;
}

function Figure({ label, value, isAlarming = false }: FigureProps) {
  return (
    <div className="px-4 first:pl-0">
      <dt className="text-xs text-secondary">{label}</dt>
      <dd className={`numeric text-lg font-semibold ${isAlarming ? 'text-error' : ''}`}>{count(value)}</dd>
    </div>
  );
}

function Movements({ movements }: { readonly movements: readonly StockMovement[] }) {
  return (
    <Table caption="Stock movements">
      <thead>
        <tr>
          <HeaderCell>Reason</HeaderCell>
          <HeaderCell isNumber>On hand</HeaderCell>
          <HeaderCell isNumber>Reserved</HeaderCell>
          <HeaderCell isNumber>When</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {movements.map(({ id, reason, reference, change, reserved_change, at }) => (
          <tr key={id}>
            <Cell className="w-full max-w-0 truncate">
              <span className="inline-block first-letter:uppercase">{reason}</span>
              {reference && <span className="text-secondary"> · {reference}</span>}
            </Cell>
            <Cell isNumber>{signed(change)}</Cell>
            <Cell isNumber>{signed(reserved_change)}</Cell>
            <Cell isNumber>
              <RelativeTime time={at} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function signed(change: number): string {
  if (change === 0) return '';
  return `${change > 0 ? '+' : '−'}${count(Math.abs(change))}`;
}
