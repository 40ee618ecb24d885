import { type Ctx, type JobTypes, job, sql, Type, Uuid } from '@chowk/kit';
import { addToGroup, takeGroup } from './groups.ts';
import { type Route, routesTo } from './preferences/routing.ts';
import type { Message } from './schemas.ts';
import { alert, checkData, findRecipients, isMailed, isPushed, send, storeFor } from './send.ts';

/** What `ctx.notify` calls: notifications with a `group_key` whose type describes `several` are sent as one. */
export async function notify(ctx: Ctx, message: Message): Promise<void> {
  if (message.group_key !== null && (await findSeveral(ctx, message.type))) {
    checkData(message);
    return addToGroup(ctx, 'console', { message, count: 1 });
  }
  await ctx.tx(async (tx) => send(tx, await nameCustomer(tx, message)));
}

async function findSeveral(ctx: Ctx, type: string) {
  return (await ctx.notificationTypes())[type]?.several;
}

type Key = { readonly id: string };

/** Stores and broadcasts what waits in a group. */
async function sendGroup(ctx: Ctx, key: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const waiting = await takeGroup(tx, key);
    if (!waiting) return;
    const { message, count } = waiting;
    const routes = await routesTo(tx, await findRecipients(tx, message), message);
    // Before the customer is locked, as in `alertGroup`.
    if (routes.some((route) => isMailed(route) || isPushed(tx, route))) await addToGroup(tx, 'alerts', waiting);
    const { single, several } = await describe(tx, message);
    await storeFor(tx, routes, { single, several, count });
  });
}

/** Sends push messages and mails about what was stored since the last ones, to those who have not read it. */
async function alertGroup(ctx: Ctx, key: Key): Promise<void> {
  await ctx.tx(async (tx) => {
    const waiting = await takeGroup(tx, key);
    if (!waiting) return;
    const { message, count } = waiting;
    const routes = await routesTo(tx, await findRecipients(tx, message), message);
    const { single, several } = await describe(tx, message);
    const unread = await findUnread(tx, routes, message);
    const text = several && count > 1 ? { ...several, title: several.title.replace('{count}', String(count)) } : single;
    const isDue = ({ in_app, user_id }: Route) => !in_app || unread.has(user_id);
    await alert(tx, text, routes.filter(isDue), unread);
  });
}

/** The latest notification by itself, and as one of several. A group lasts a day. */
async function describe(ctx: Ctx, message: Message): Promise<{ single: Message; several: Message | undefined }> {
  const { 'general.timezone': timeZone } = await ctx.settings();
  const day = ctx.now().toLocaleDateString('sv', { timeZone });
  const single = await nameCustomer(ctx, { ...message, group_key: `${message.group_key} ${day}` });
  const several = await findSeveral(ctx, message.type);
  return { single, several: several && { ...single, ...several, body: single.title, action_label: null, data: null } };
}

const placeholder = '{{customer_name}}';
const maxName = 80;

/** The customer is locked, so that the notification is stored before the customer is erased, or without the name. */
async function nameCustomer(ctx: Ctx, message: Message): Promise<Message> {
  const { customer_id, title, body } = message;
  if (customer_id === null) return message;
  const id = (await ctx.bus.callIfInstalled('customers.lock', { id: customer_id })) ?? null;
  const [contact] = id === null ? [] : ((await ctx.bus.callIfInstalled('customers.listContacts', { ids: [id] })) ?? []);
  const name = [contact?.first_name, contact?.last_name].filter(Boolean).join(' ').slice(0, maxName).toWellFormed();
  const fill = (text: string) => text.replaceAll(placeholder, () => name || 'a customer');
  return { ...message, customer_id: contact ? id : null, title: fill(title), body: body && fill(body) };
}

/** The unread notifications of a group, by user. */
async function findUnread(
  ctx: Ctx,
  routes: readonly Route[],
  { module, group_key }: Message,
): Promise<Map<number, string>> {
  const rows = await ctx.db.rows<{ id: string; user_id: number }>(sql`
    SELECT id, user_id FROM notifications WHERE user_id = ANY(${routes.map(({ user_id }) => user_id)}::bigint[])
      AND read_at IS NULL AND module IS NOT DISTINCT FROM ${module}::text AND starts_with(group_key, ${`${group_key} `})
    ORDER BY created_at`);
  return new Map(rows.map(({ id, user_id }) => [user_id, id]));
}

const Key = Type.Object({ id: Uuid });

export const groupJobs = {
  'notifications.send_group': job({ queue: 'notifications', data: Key, retries: [1, 5, 15], run: sendGroup }),
  'notifications.alert_group': job({ data: Key, retries: [5, 60], run: alertGroup }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof groupJobs> {}
}
