import { resolveMx } from 'node:dns/promises';
import type { Config } from '../config/config.ts';
import { readInboundTls } from '../mail/inbound-tls.ts';
import type { Finding } from '../tenancy/doctor.ts';

/** Why mails of customers would not come in, if they are to be received. */
export async function findMailProblems(config: Config): Promise<Finding[]> {
  if (config.inboundSmtpPort === undefined) return [];
  const problem = 'mails are not received';
  const findings: Finding[] = [];
  await readInboundTls(config).catch(({ message }: Error) => {
    findings.push({ problem, subject: message, remedy: 'name PEM files of a key and its certificate' });
  });
  const domain = config.inboundMailDomain;
  if (config.appEnv === 'production' && !(await hasMailServer(domain))) {
    findings.push({ problem, subject: `${domain} has no MX record`, remedy: 'add one that names this server' });
  }
  return findings;
}

/** A name server that does not respond says nothing about the domain. */
async function hasMailServer(domain: string): Promise<boolean> {
  return resolveMx(domain).then(
    (records) => records.length > 0,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOTFOUND' && code !== 'ENODATA',
  );
}
