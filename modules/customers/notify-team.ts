import type { Ctx, ImportReport } from '@chowk/kit';

export const notifications = {
  'customer.import_finished': { description: 'Your import of customers has finished', needs: 'customers.create' },
};

/** Tells the one who has started it. */
export async function notifyImported(ctx: Ctx, { created, updated, unchanged, failed }: ImportReport): Promise<void> {
  if (ctx.userId === undefined) return;
  await ctx.notify(ctx.userId, {
    type: 'customer.import_finished',
    title:
      failed === 0
        ? 'The import of customers has finished'
        : `The import of customers has finished: ${failed} ${failed === 1 ? 'row' : 'rows'} failed`,
    body: `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
    severity: failed === 0 ? 'success' : 'warning',
    icon: 'Users',
    action_url: '/customers',
  });
}
