import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { figure, percentile, printTable } from './figures.ts';
import { atRate } from './pace.ts';
import { startPlatform } from './platform.ts';
import { cpuSeconds } from './process-figures.ts';
import { freePort, onStage } from './stage.ts';

/* Are mails received at a steady rate, and do the messages of conversations keep up? */

const tenant = 'bench';
const rate = Number(process.env.RATE ?? 100);
const seconds = Number(process.env.SECONDS ?? 60);
const connections = 20;
const senders = 1_000;
let turn = 0;

await onStage(async (stage) => {
  const smtpPort = await freePort();
  const environment = {
    INBOUND_SMTP_PORT: String(smtpPort),
    INBOUND_SMTP_HOST: '127.0.0.1',
    INBOUND_MAIL_DOMAIN: 'in.example.com',
  };
  const platform = await startPlatform(stage, { storagePath: await stage.folder(), environment });
  await platform.post('/api/v1/bench/tenants', { id: tenant });
  const count = async () =>
    (await platform.get<{ total: number }>('/api/v1/conversations/counts', platform.headers(tenant))).total;
  const clients = await Promise.all(Array.from({ length: connections }, () => openClient(smtpPort)));
  await send(clients, 'warm up');
  while ((await count()) === 0) await delay(100);

  const total = rate * seconds;
  const acknowledged: number[] = [];
  const behind: number[] = [];
  const cpu = await cpuSeconds(platform.pid);
  let isSending = true;
  const watch = (async () => {
    while (isSending) {
      await delay(1_000);
      behind.push(acknowledged.length + 1 - (await count()));
    }
  })();
  const startedAt = performance.now();
  await atRate(total, rate, async (n) => {
    const sentAt = performance.now();
    await send(clients, `Mail ${n}`);
    acknowledged.push(performance.now() - sentAt);
  });
  const sendingMs = performance.now() - startedAt;
  isSending = false;
  await watch;
  const lastAt = performance.now();
  while ((await count()) < total + 1) await delay(50);
  const lagMs = performance.now() - lastAt;
  printTable(
    `${total} mails at ${rate} a second over ${connections} connections`,
    ['acknowledged', 'median', '99 %', 'most messages behind', 'last message after', 'CPU per mail'],
    [
      [
        figure((total * 1_000) / sendingMs, '/s'),
        figure(percentile(acknowledged, 50), 'ms'),
        figure(percentile(acknowledged, 99), 'ms'),
        String(Math.max(...behind)),
        figure(lagMs, 'ms'),
        figure((((await cpuSeconds(platform.pid)) - cpu) * 1_000) / total, 'ms'),
      ],
    ],
  );
  for (const client of clients) client.close();
});

interface Client {
  send(lines: string): Promise<string>;
  close(): void;
  busy: Promise<unknown>;
}

async function openClient(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => {
    const { value = '' } = await lines.next();
    return /^\d{3}-/.test(value) ? read() : value;
  };
  const client: Client = {
    busy: Promise.resolve(),
    close: () => void socket.destroy(),
    send: (text) => {
      socket.write(`${text}\r\n`);
      return read();
    },
  };
  await read();
  await client.send('EHLO bench');
  return client;
}

/** Over one of the connections, after the mails before it. */
async function send(clients: readonly Client[], subject: string): Promise<void> {
  turn += 1;
  const client = clients[turn % clients.length] as Client;
  const from = `customer${turn % senders}@example.com`;
  const mail = `From: Asha <${from}>\r\nSubject: ${subject}\r\nMessage-ID: <${turn}@bench>\r\n\r\nWhere is my tea? I wait for it.\r\n.`;
  const work = client.busy.then(async () => {
    for (const line of [`MAIL FROM:<${from}>`, `RCPT TO:<${tenant}@in.example.com>`, 'DATA', mail]) {
      const answer = await client.send(line);
      if (!/^[23]/.test(answer)) throw new Error(answer);
    }
  });
  client.busy = work;
  await work;
}
