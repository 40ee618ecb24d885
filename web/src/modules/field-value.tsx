import type { ConsoleField } from '@chowk/client';
import { useMe } from '../api/use-api.ts';
import { money } from '../format/numbers.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import type { Row } from './entry-data.ts';

const number = new Intl.NumberFormat();

export function isNumber({ kind }: ConsoleField): boolean {
  return kind === 'number' || kind === 'money';
}

/** A value of a row, as people read it. */
export function FieldValue({ field: { name, kind }, row }: { readonly field: ConsoleField; readonly row: Row }) {
  const currency = useMe().data?.currency;
  const value = row[name];
  if (value === null || value === undefined || value === '') return <span className="text-faint">–</span>;
  switch (kind) {
    case 'time':
      return <RelativeTime time={String(value)} />;
    case 'boolean':
      return value === true ? 'Yes' : 'No';
    case 'money':
      return money(String(value), typeof row.currency === 'string' ? row.currency : (currency ?? 'INR'));
    case 'number':
      return number.format(Number(value));
    case 'choice':
      return <StatusPill>{String(value)}</StatusPill>;
    case 'list':
      return (value as readonly unknown[]).join(', ');
    default:
      return String(value);
  }
}
