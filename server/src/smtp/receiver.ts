import type { AddressInfo } from 'node:net';
import type { Log } from '@chowk/kit/kernel';
import type { SMTPServer as Server } from 'smtp-server';
import type { Config } from '../config/config.ts';
import type { Kernel } from '../kernel.ts';
import { readInboundTls } from '../mail/inbound-tls.ts';
import { maxMailBytes } from './accept-mail.ts';
import { Refusal, Sessions } from './sessions.ts';

const limits = {
  size: maxMailBytes,
  rejectOversized: true,
  maxClients: 200,
  maxRecipients: 10,
  /** Milliseconds without a byte from the client. */
  socketTimeout: 60_000,
  disableReverseLookup: true,
  logger: false,
};

export interface Receiver {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Receives mails until it is closed; `undefined` if this process has not the module that reads them. With `isShared`, the processes of
 * all rings listen on one port: each receives the mails of all tenants, and the jobs run in the rings of the tenants.
 */
export async function startReceiver(kernel: Kernel, { isShared = false } = {}): Promise<Receiver | undefined> {
  const { config, log } = kernel;
  if (!kernel.operations.has('mailbox.takesMail')) {
    log.warn({}, 'no mail is received: the lock file has no module mailbox');
    return undefined;
  }
  const [{ SMTPServer }, tls] = await Promise.all([import('smtp-server'), readInboundTls(config)]);
  const sessions = new Sessions(kernel, (id) => closeConnection(server, id));
  const server = new SMTPServer({
    ...limits,
    ...tls,
    name: config.inboundMailDomain,
    closeTimeout: config.shutdownSeconds * 1_000,
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    onConnect: (session, done) => void settle(log, done, async () => sessions.begin(session)),
    onMailFrom: (_, session, done) => void settle(log, done, async () => sessions.beginMail(session)),
    onRcptTo: ({ address }, session, done) => void settle(log, done, () => sessions.addRecipient(session, address)),
    onData: (stream, session, done) => void settle(log, done, () => sessions.receive(session, stream)),
    onClose: (session) => sessions.end(session),
  });
  try {
    await listen(server, config, isShared);
  } catch (error) {
    // Another process receives the mails of all rings, where ports cannot be shared.
    if (!isShared) throw error;
    log.warn({}, (error as Error).message);
    return undefined;
  }
  server.on('error', (error) => log.debug({ err: error }, 'a connection for mail failed'));
  return {
    port: (server.server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(resolve));
      for (const id of sessions.idle()) closeConnection(server, id);
      await closed;
    },
  };
}

async function listen(server: Server, config: Config, isShared: boolean): Promise<void> {
  const { inboundSmtpPort: port = 0, inboundSmtpHost: host } = config;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', ({ message }) => reject(new Error(`cannot receive mail on ${host}:${port}: ${message}`)));
  server.listen({ port, host, reusePort: isShared && process.platform === 'linux' }, resolve);
  await promise;
}

function closeConnection(server: Server, id: string): void {
  for (const connection of server.connections) {
    if (connection.id === id) connection.send(421, 'Closing the connection; try again later');
  }
}

/** What is unexpected is not described to the client, who tries again later. */
async function settle(log: Log, done: (error?: Error) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    done();
  } catch (error) {
    if (error instanceof Refusal) return done(error);
    const hasLeft = (error as NodeJS.ErrnoException).code === 'ECONNECTION';
    log[hasLeft ? 'debug' : 'warn']({ err: error }, 'could not receive a mail; the client will try again');
    done(new Refusal(451, 'Temporary failure; try again later'));
  }
}
