import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config/config.ts';

/** The key and the certificate with which mails are received; `undefined` without TLS. Throws if they cannot be used. */
export async function readInboundTls({ inboundSmtpKey, inboundSmtpCertificate }: Config) {
  if (inboundSmtpKey === undefined && inboundSmtpCertificate === undefined) return undefined;
  if (inboundSmtpKey === undefined || inboundSmtpCertificate === undefined) {
    throw new Error('INBOUND_SMTP_KEY and INBOUND_SMTP_CERTIFICATE must be set together');
  }
  try {
    const tls = { key: await readFile(inboundSmtpKey), cert: await readFile(inboundSmtpCertificate) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`INBOUND_SMTP_KEY and INBOUND_SMTP_CERTIFICATE cannot be used: ${message}`);
  }
}
