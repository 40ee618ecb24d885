import type { AboutCustomer, Bus, DeclaredNotificationType, NewNotification, Recipients } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import type { ContextOptions } from './context-options.ts';

/** Notifies users of the tenant or, without a tenant, stores the notification in the central database. */
export async function notify(
  { log }: Kernel,
  { tenant, module = 'kernel' }: ContextOptions,
  /** The bus of the kernel: modules need not declare what `ctx.notify` calls. */
  bus: Bus,
  to: Recipients,
  notification: NewNotification & AboutCustomer,
): Promise<void> {
  const message = { module, ...notification };
  if (!tenant && to !== 'members') return void (await bus.call('identity.storeNotification', { ...message, to }));
  if (await bus.isInstalled('notifications.notifyUsers'))
    await bus.call('notifications.notifyUsers', { ...message, to });
  else log.debug({ tenant: tenant?.id, type: message.type }, 'the tenant has no notifications module');
}

/** The types of notifications of the tenant's modules, by name. */
export async function enabledNotificationTypes(
  { notificationTypes, installations }: Kernel,
  tenantId: string,
): Promise<Readonly<Record<string, DeclaredNotificationType>>> {
  const types = Object.entries(notificationTypes);
  const isIncluded = await Promise.all(types.map(([, { module }]) => installations.has(tenantId, module)));
  return Object.fromEntries(types.filter((_, index) => isIncluded[index]));
}
