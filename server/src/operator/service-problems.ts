import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { connectionLimits, serverProblem } from '../db/server.ts';
import type { Kernel } from '../kernel.ts';
import type { Finding } from '../tenancy/doctor.ts';
import { healthCheck } from './health-check.ts';

const dayMs = 24 * 3_600_000;
/** Certificates are usually renewed before. */
const warnDays = 14;

/** What is wrong with the services that the platform uses. */
export async function findServiceProblems(kernel: Kernel): Promise<Finding[]> {
  const findings = await Promise.all([
    findServerProblems(kernel),
    findFullDisks(kernel),
    findStorageProblem(kernel),
    findMailServerProblem(kernel),
    findFailedJobs(kernel),
  ]);
  return findings.flat();
}

/** Version, clock, extensions and rights. Servers that cannot be reached are reported by `findProblems`. */
async function findServerProblems({ config, central }: Kernel): Promise<Finding[]> {
  const limits = connectionLimits(config);
  const problems = await Promise.all(
    central.servers.map(async ({ name, address, database }) => {
      const subject = await serverProblem(address, database, limits).catch(() => undefined);
      return subject === undefined ? [] : [{ subject: `${name}: ${subject}` }];
    }),
  );
  return problems
    .flat()
    .map(({ subject }) => ({ problem: 'unsuitable database server', subject, remedy: 'correct it on the server' }));
}

async function findFullDisks({ config, central }: Kernel): Promise<Finding[]> {
  const { servers, storage } = await healthCheck(config, central, undefined)();
  const disks = { ...servers, STORAGE_PATH: storage };
  const remedies: Record<string, string> = {
    full: 'free space on its disk',
    read_only: 'make it writable',
    ...(storage === 'down' ? { down: 'create the folder, or correct STORAGE_PATH' } : {}),
  };
  return Object.entries(disks).flatMap(([subject, status]) => {
    const remedy = remedies[status];
    if (remedy === undefined || (status === 'down' && subject !== 'STORAGE_PATH')) return [];
    return [
      {
        problem: status === 'read_only' ? 'read-only' : status === 'full' ? 'full disk' : 'no folder',
        subject,
        remedy,
      },
    ];
  });
}

async function findStorageProblem({ files, config }: Kernel): Promise<Finding[]> {
  const subject = await files.probe();
  if (subject === undefined) return [];
  const remedy = config.objectStorageUrl === undefined ? 'make the folder writable' : 'check OBJECT_STORAGE_URL';
  return [{ problem: 'files cannot be stored', subject, remedy }];
}

async function findMailServerProblem({ mailer }: Kernel): Promise<Finding[]> {
  const subject = await mailer.findProblem();
  return subject === undefined ? [] : [{ problem: 'mails cannot be sent', subject, remedy: 'check MAIL_URL' }];
}

async function findFailedJobs({ jobs }: Kernel): Promise<Finding[]> {
  await jobs.start();
  const { rows, total } = await jobs.list({ onlyFailed: true });
  const [first] = rows;
  if (!first) return [];
  const tenant = first.tenant ? ` of ${first.tenant}` : '';
  return [
    {
      problem: 'failed jobs',
      subject: `${total}, the first is ${first.job}${tenant}: ${first.error}`,
      remedy: "list them with 'chowkd jobs:list --failed', then 'chowkd jobs:retry'",
    },
  ];
}

/** Certificates that have expired or soon will. One that cannot be read is reported by `findMailProblems`. */
export async function findExpiringCertificates(
  { inboundSmtpCertificate: file }: Pick<Config, 'inboundSmtpCertificate'>,
  now: Date,
): Promise<Finding[]> {
  if (file === undefined) return [];
  const validTo = await readFile(file).then(
    (pem) => new Date(new X509Certificate(pem).validTo),
    () => undefined,
  );
  if (!validTo || validTo.getTime() - now.getTime() > warnDays * dayMs) return [];
  const hasExpired = validTo <= now;
  return [
    {
      problem: hasExpired ? 'expired certificate' : 'certificate expires soon',
      subject: `INBOUND_SMTP_CERTIFICATE ${file}: ${validTo.toISOString().slice(0, 10)}`,
      remedy: 'renew it and restart the processes',
    },
  ];
}
