import { expect } from 'vitest';
import type { TestPlatform, TestResponse } from './platform.ts';

/** The audit log of an action, newest first. `reader` needs the permission audit.view. */
export async function auditEntries(
  { kernel }: Pick<TestPlatform, 'kernel'>,
  reader: { get(url: string): Promise<TestResponse> },
  action: string,
): Promise<{ outcome: string; user_id: number; resource_id: string | null; input: unknown; changes: unknown }[]> {
  await kernel.audit.flush();
  const { status, body } = await reader.get(`/api/v1/audit?action=${action}`);
  expect(status).toBe(200);
  return body.audit;
}
