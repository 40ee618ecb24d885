import { expect } from 'vitest';
import type { TestAnswer, TestPlatform } from './platform.ts';

/** What the audit log says about an action, the newest first, read by somebody who may. */
export async function auditLines(
  { kernel }: Pick<TestPlatform, 'kernel'>,
  reader: { get(url: string): Promise<TestAnswer> },
  action: string,
): Promise<{ outcome: string; user_id: number; resource_id: string | null; input: unknown; changes: unknown }[]> {
  await kernel.audit.flush();
  const { status, body } = await reader.get(`/api/v1/audit?action=${action}`);
  expect(status).toBe(200);
  return body.audit;
}
