import type { Product, StockMovement } from '@chowk/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { StockForm } from './stock-form.tsx';
import { useLevels, useLocations } from './stock-levels.ts';

const shownAtFirst = 8;
const shownAtMost = 100;

/** How many units there are, and how it came to that. */
export function StockSection({ product }: { readonly product: Product }) {
  const { id, stock, reserved, available, variants } = product;
  const variant = variants.length === 1 ? variants[0] : undefined;
  const canEdit = useCan()('products.edit');
  const [size, setSize] = useState(shownAtFirst);
  const { data, error } = useApi(keys.products.movements(id, size), (client) =>
    client.products.movements({ id, per_page: size }),
  );
  const hasLocations = useLocations().length > 1;
  const navigate = useNavigate();
  const trigger = <Button variant="quiet">Change stock</Button>;
  return (
    <Section
      title="Stock"
      actions={
        canEdit && (
          <span className="-mr-3.5 flex flex-wrap">
            {hasLocations && (
              <Button
                variant="quiet"
                onClick={() => void navigate({ to: '/products/transfer', search: { product: id } })}
              >
                Move stock
              </Button>
            )}
            {variant && <StockForm product={product} variant={variant} trigger={trigger} />}
          </span>
        )
      }
    >
      <dl className="grid grid-cols-3 divide-x divide-line border-y border-line py-3">
        <Figure label="On hand" value={stock} />
        <Figure label="Reserved" value={reserved} />
        <Figure label="Available" value={available} isAlarming={available <= 0} />
      </dl>
      {variant && <Levels variantId={variant.id} />}
      {data === undefined && error ? (
        <ReadError error={error} />
      ) : data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : data.movements.length === 0 ? (
        <p className="text-sm text-secondary">The stock has never changed.</p>
      ) : (
        <Movements product={product} movements={data.movements} />
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

/** Where the units are, if there are several locations. */
function Levels({ variantId }: { readonly variantId: string }) {
  const levels = useLevels(variantId);
  if (levels.length === 0) return null;
  return (
    <dl className="grid gap-1 text-sm">
      {levels.map(({ location_id, name, stock }) => (
        <div key={location_id} className="flex justify-between gap-4">
          <dt className="min-w-0 truncate text-secondary">{name}</dt>
          <dd className="numeric">{count(stock)}</dd>
        </div>
      ))}
    </dl>
  );
}

interface MovementsProps {
  readonly product: Product;
  readonly movements: readonly StockMovement[];
}

function Movements({ product: { variants }, movements }: MovementsProps) {
  const locations = useLocations();
  const titles = new Map(variants.length > 1 ? variants.map(({ id, title }) => [id, title]) : []);
  const names = new Map(locations.map(({ id, name }) => [id, name]));
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
        {movements.map((movement) => (
          <tr key={movement.id}>
            <Cell className="w-full max-w-0 truncate">
              <span className="inline-block first-letter:uppercase">{movement.reason}</span>
              <Reference movement={movement} />
              {[titles.get(movement.variant_id), movement.location_id && names.get(movement.location_id)]
                .filter(Boolean)
                .map((part) => (
                  <span key={part} className="text-secondary">
                    {' '}
                    · {part}
                  </span>
                ))}
            </Cell>
            <Cell isNumber>{signed(movement.change)}</Cell>
            <Cell isNumber>{signed(movement.reserved_change)}</Cell>
            <Cell isNumber>
              <RelativeTime time={movement.at} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** The order of the movement, or what was entered. */
function Reference({ movement: { reference, order_id } }: { readonly movement: StockMovement }) {
  const canOpen = useCan()('orders.view');
  if (order_id !== null && canOpen) {
    return (
      <>
        {' · '}
        <Link to="/orders/$id" params={{ id: order_id }} className="underline underline-offset-4 hover:text-accent">
          {reference === null ? 'Order' : `Order ${reference}`}
        </Link>
      </>
    );
  }
  return reference && <span className="text-secondary"> · {reference}</span>;
}

function signed(change: number): string {
  if (change === 0) return '';
  return `${change > 0 ? '+' : '−'}${count(Math.abs(change))}`;
}
