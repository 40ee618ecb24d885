import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether one of the secrets made one of the signatures of the text: HMAC with SHA-256, in hex. Takes constant time. */
export function isSigned(text: string, signatures: readonly string[], secrets: readonly string[]): boolean {
  const given = signatures.filter((one) => /^[0-9a-f]{64}$/i.test(one)).map((one) => Buffer.from(one, 'hex'));
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(text).digest();
    return given.some((one) => timingSafeEqual(one, expected));
  });
}
