import { afterCommit, type Ctx, type ImportReport } from '@chowk/kit';

/** What members of the team hear about products. */
export const notifications = {
  'product.low_stock': {
    description: 'A product is running out of stock',
    needs: 'products.view',
    defaultFor: 'products.edit',
    several: {
      title: '{count} products are running out of stock',
      action_url: '/products?status=active&low_stock=true&sort_by=stock&sort_order=asc',
    },
  },
  'product.import_finished': { description: 'Your import of products has finished', needs: 'products.import' },
};

export const teamListeners = [
  afterCommit('product.low_stock', 'notify-team', (ctx, { product, sku, available }) =>
    ctx.notify('members', {
      type: 'product.low_stock',
      title: `${product.title.slice(0, 150).toWellFormed()} (${sku.slice(0, 60).toWellFormed()}): ${available} left`,
      severity: 'warning',
      icon: 'Package',
      action_url: `/products/${product.id}`,
      group_key: 'product.low_stock',
    }),
  ),
];

/** Tells the one who has started it. */
export async function notifyImported(ctx: Ctx, { created, updated, unchanged, failed }: ImportReport): Promise<void> {
  if (ctx.userId === undefined) return;
  await ctx.notify(ctx.userId, {
    type: 'product.import_finished',
    title:
      failed === 0
        ? 'The import of products has finished'
        : `The import of products has finished: ${failed} ${failed === 1 ? 'row' : 'rows'} failed`,
    body: `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`,
    severity: failed === 0 ? 'success' : 'warning',
    icon: 'Package',
    action_url: '/products',
  });
}
