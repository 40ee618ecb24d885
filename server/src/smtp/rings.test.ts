import { readFile } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { type RingName, ringVersions } from '../../testing/ring-packages.ts';
import { startRings } from '../../testing/ring-platform.ts';
import { freePort } from '../free-port.ts';

/* Three rings, each a process of its own, receive mails on one port. */

const port = await freePort();
const platform = await startRings({
  variables: {
    INBOUND_SMTP_PORT: String(port),
    INBOUND_SMTP_HOST: '127.0.0.1',
    INBOUND_MAIL_DOMAIN: 'in.example.com',
  },
});
const { tenants } = platform;
const rings = Object.keys(ringVersions) as RingName[];

/** Each over a connection of its own, which any of the processes may accept. */
async function send(tenant: string, text: string): Promise<void> {
  const client = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  await client.sendMail({ from: `${tenant}@example.com`, to: `${tenant}@in.example.com`, subject: text, text });
  client.close();
}

const messages = async (tenant: string): Promise<string[]> =>
  (await platform.query(tenant, 'SELECT body FROM conversation_messages ORDER BY body')).map(({ body }) => body);

/** The sockets that listen on the port. */
async function countListeners(): Promise<number> {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return sockets.filter(([, local, , state]) => local === address && state === '0A').length;
}

test('mails reach the tenants of all rings, whichever process receives them', { timeout: 60_000 }, async () => {
  await eventually(async () => expect(await countListeners()).toBe(rings.length));
  const texts = Array.from({ length: 12 }, (_, n) => `mail ${String(n).padStart(2, '0')}`);
  await Promise.all(rings.flatMap((ring) => texts.map((text) => send(tenants[ring], `${text} for ${ring}`))));
  for (const ring of rings) {
    const expected = texts.map((text) => `${text} for ${ring}`);
    await expect.poll(() => messages(tenants[ring]), { timeout: 30_000 }).toEqual(expected);
  }
});

test('a mail for a ring whose process was killed waits for its next one', { timeout: 60_000 }, async () => {
  const before = (await messages(tenants.edge)).length;
  process.kill((await platform.ringPid('edge')) as number, 'SIGKILL');
  // A connection may still be queued at the killed process: a mail server tries again.
  await eventually(() => send(tenants.edge, 'while the ring is away'));
  await expect.poll(() => messages(tenants.edge), { timeout: 40_000 }).toContain('while the ring is away');
  expect((await messages(tenants.edge)).length).toBe(before + 1);
});
