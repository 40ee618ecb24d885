import { afterCommit, type Ctx } from '@chowk/kit';
import { expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { openInvoiceShop } from '../../server/testing/invoice-shop.ts';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const issued: { event: string; number: string; phone: string | null }[] = [];
const remember = (event: 'invoice.issued' | 'credit_note.issued') =>
  afterCommit(event, event.replace('.', '_'), async (_: Ctx, { invoice }) => {
    issued.push({ event, number: invoice.invoice_number, phone: invoice.buyer.phone });
  });
const watcher = testModule({
  alias: 'watcher',
  listeners: [remember('invoice.issued'), remember('credit_note.issued')],
});
const platform = await startPlatform({ modules: [...(await repositoryModules()), watcher] });
await platform.kernel.work(['events']);

test('an invoice and a credit note are events, once each', async () => {
  const { order, issue, post } = await openInvoiceShop(platform);
  const placed = await order({ payments: [{ method: 'cash' }] });
  await Promise.all([issue(placed), issue(placed), issue(placed)]);
  await post(`/orders/${placed.id}/refund`, { amount: '100' });
  await post(`/orders/${placed.id}/credit-note`);
  const phone = '+91 80 4123 4567';
  await eventually(() =>
    expect(issued).toEqual([
      { event: 'invoice.issued', number: 'INV-1', phone },
      { event: 'credit_note.issued', number: 'CN-1', phone },
    ]),
  );
});
