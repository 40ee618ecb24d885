import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { freePort } from '../src/free-port.ts';
import { eventually } from './eventually.ts';

/** A real IMAP server on free ports of the loopback interface. Each user has an empty mailbox. */
export interface ImapServer {
  readonly port: number;
  /** Encrypted from the beginning, with a certificate for `localhost` that nobody has signed. */
  readonly tlsPort: number;
  readonly certificate: string;
  /** Delivers a mail as a mail server would: at once or not at all. */
  deliver(user: string, mail: string | Uint8Array, options?: { at?: Date; folder?: string }): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const imapPassword = 'correct-horse';
/** A larger mailbox takes no mails from clients. */
export const imapQuotaBytes = 1_048_576;

const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
const version = spawnSync('dovecot', ['--version'], { env: environment }).stdout?.toString() ?? '';
export const hasImapServer = version.startsWith('2.3.');
if (!hasImapServer) {
  process.stderr.write(
    `dovecot 2.3 is not installed (apt-get install dovecot-imapd; found: ${version.trim() || 'none'}): skipping the tests that need it\n`,
  );
}

/** Dovecot refuses to read mails as root. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const owner = isRoot ? { uid: nobody, gid: nobody } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const name = (flag: string) =>
  spawnSync('id', [flag, String(owner.uid)])
    .stdout.toString()
    .trim();

/** Started, and stopped after the test file. */
export async function startImapServer(): Promise<ImapServer> {
  const root = await mkdtemp(join(tmpdir(), 'chowk-imap-'));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const [key, cert] = [join(root, 'key.pem'), join(root, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject]);
  const configuration = join(root, 'dovecot.conf');
  await writeFile(configuration, dovecotConfiguration({ root, port, tlsPort, key, cert }));
  for (const path of [root, key, cert]) await chown(path, owner.uid, owner.gid);
  let child: ChildProcess | undefined;
  let count = 0;
  const folder = (user: string) => join(root, 'home', user, 'Maildir');
  const server: ImapServer = {
    port,
    tlsPort,
    certificate: cert,
    async deliver(user, mail, { at, folder: name = '' } = {}) {
      const place = join(folder(user), name === '' ? '' : `.${name}`);
      for (const part of ['tmp', 'new', 'cur']) await makeFolder(join(place, part), root);
      count += 1;
      const file = `${Date.now()}.${process.pid}_${String(count).padStart(6, '0')}.localhost`;
      await writeFile(join(place, 'tmp', file), mail);
      await chown(join(place, 'tmp', file), owner.uid, owner.gid);
      if (at) await utimes(join(place, 'tmp', file), at, at);
      await rename(join(place, 'tmp', file), join(place, 'new', file));
    },
    async start() {
      child = spawn('dovecot', ['-F', '-c', configuration], {
        ...(isRoot ? owner : {}),
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let log = '';
      child.stderr?.on('data', (text) => {
        log += text;
      });
      await eventually(async () => {
        if (child?.exitCode !== null) throw new Error(`dovecot did not start: ${log}`);
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'data');
        socket.destroy();
      });
    },
    async stop() {
      if (!child || child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
  afterAll(async () => {
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });
  await server.start();
  return server;
}

async function makeFolder(path: string, root: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  for (let made = path; first !== undefined && made.length >= first.length && made !== root; made = join(made, '..')) {
    await chown(made, owner.uid, owner.gid);
  }
}

function dovecotConfiguration(files: {
  root: string;
  port: number;
  tlsPort: number;
  key: string;
  cert: string;
}): string {
  const { root, port, tlsPort, key, cert } = files;
  const user = name('-un');
  return `
    base_dir = ${root}/run
    state_dir = ${root}/state
    log_path = /dev/stderr
    protocols = imap
    listen = 127.0.0.1
    ssl = yes
    ssl_cert = <${cert}
    ssl_key = <${key}
    disable_plaintext_auth = no
    auth_failure_delay = 0
    default_internal_user = ${user}
    default_login_user = ${user}
    default_internal_group = ${name('-gn')}
    first_valid_uid = 1
    mail_location = maildir:~/Maildir
    mail_plugins = quota
    protocol imap {
      mail_plugins = quota imap_quota
    }
    plugin {
      quota = maildir:User quota
      quota_rule = *:bytes=${imapQuotaBytes}
    }
    passdb {
      driver = static
      args = password=${imapPassword}
    }
    userdb {
      driver = static
      args = uid=${owner.uid} gid=${owner.gid} home=${root}/home/%u
    }
    service anvil {
      chroot =
      # Failed sign-ins do not slow the next ones down.
      unix_listener anvil-auth-penalty {
        mode = 0
      }
    }
    service imap-login {
      chroot =
      inet_listener imap {
        port = ${port}
      }
      inet_listener imaps {
        port = ${tlsPort}
      }
    }
  `;
}
