import type { Invoice, OrderDetails } from '@chowk/client';
import { Download, Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { toThousandths } from '../../format/amount.ts';
import { errorMessage } from '../../format/error-message.ts';
import { money } from '../../format/numbers.ts';
import { printPage } from '../../screen/print-page.ts';
import { saveFile } from '../../screen/save-file.ts';
import { api } from '../../session/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { toast } from '../../ui/toast.tsx';

const notInvoiced: readonly OrderDetails['status'][] = ['pending', 'cancelled', 'failed'];

/** The invoice, its credit notes and the packing slip, for the printer or as PDF. */
export function OrderDocuments({ order }: { readonly order: OrderDetails }) {
  const { id, order_number, status } = order;
  const { data } = useApi(keys.orders.invoices(id), (client) =>
    client.invoices.list({ order_id: id, per_page: 100, sort_order: 'asc' }),
  );
  const can = useCan();
  const affects = [keys.orders.invoices(id)];
  const issue = useAction((client, _: undefined) => client.invoices.issue({ id }), {
    affects,
    done: ({ invoice }) => `Invoice ${invoice.invoice_number} issued.`,
  });
  const credit = useAction((client, _: undefined) => client.invoices.createCreditNote({ id }), {
    affects,
    done: ({ invoice }) => `Credit note ${invoice.invoice_number} issued.`,
  });
  if (!data) return null;
  const { invoices } = data;
  const isIssued = invoices.some(({ kind }) => kind === 'invoice');
  const canIssue = can('orders.edit') && !isIssued && !notInvoiced.includes(status);
  const canCredit = can('orders.edit') && isIssued && hasUncredited(order, invoices);
  const action = canIssue
    ? ([issue, 'Issue invoice'] as const)
    : canCredit
      ? ([credit, 'Issue credit note'] as const)
      : undefined;
  return (
    <Section
      title="Documents"
      actions={
        action && (
          <Button
            variant="quiet"
            className="-mr-3.5 text-sm"
            isBusy={action[0].isPending}
            onClick={() => action[0].mutate(undefined)}
          >
            {action[1]}
          </Button>
        )
      }
    >
      <ul className="grid">
        {invoices.map((invoice) => (
          <InvoiceRow key={invoice.id} invoice={invoice} />
        ))}
        <DocumentRow
          title="Packing slip"
          fileName={`packing-slip-${order_number}.pdf`}
          read={(format) => api().invoices.packingSlip({ id, format })}
        />
      </ul>
    </Section>
  );
}

/** Whether more was refunded than the credit notes say. */
function hasUncredited({ refunded_total }: OrderDetails, invoices: readonly Invoice[]): boolean {
  const notes = invoices.filter(({ kind }) => kind === 'credit_note');
  const credited = notes.reduce((sum, { total }) => sum + (toThousandths(total) ?? 0n), 0n);
  return (toThousandths(refunded_total) ?? 0n) > credited;
}

function InvoiceRow({ invoice }: { readonly invoice: Invoice }) {
  const { id, kind, invoice_number, total, currency, issued_at } = invoice;
  return (
    <DocumentRow
      title={`${kind === 'invoice' ? 'Invoice' : 'Credit note'} ${invoice_number}`}
      fileName={`${invoice_number}.pdf`}
      read={(format) => api().invoices.document({ id, format })}
    >
      <span className="numeric">{money(total, currency)}</span> · <RelativeTime time={issued_at} />
    </DocumentRow>
  );
}

interface DocumentRowProps {
  readonly title: string;
  readonly fileName: string;
  readonly read: (format: 'html' | 'pdf') => Promise<Response>;
  readonly children?: ReactNode;
}

function DocumentRow({ title, fileName, read, children }: DocumentRowProps) {
  const [isBusy, setBusy] = useState(false);
  const run = async (make: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    await make().catch((error) => toast(errorMessage(error)));
    setBusy(false);
  };
  const print = () => run(() => printPage(async () => (await read('html')).text()));
  const save = () => run(async () => saveFile(await (await read('pdf')).blob(), fileName.replace(/[^\w.-]+/g, '-')));
  return (
    <li className="flex min-h-11 items-center gap-x-1 border-b border-line py-1 last:border-0">
      <span className="grid min-w-0 flex-1">
        <span className="font-medium break-words">{title}</span>
        {children && <span className="text-xs text-secondary">{children}</span>}
      </span>
      <IconButton label={`Print ${lowerFirst(title)}`} aria-busy={isBusy || undefined} onClick={() => void print()}>
        <Icon icon={Printer} />
      </IconButton>
      <IconButton
        label={`Download ${lowerFirst(title)} as PDF`}
        className="-mr-2"
        aria-busy={isBusy || undefined}
        onClick={() => void save()}
      >
        <Icon icon={Download} />
      </IconButton>
    </li>
  );
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
