import type { Ctx } from '@chowk/kit';
import type { CustomerDetail, CustomerInput, CustomerRecord } from './schemas.ts';
export async function createCustomer(_ctx: Ctx, _input: CustomerInput): Promise<CustomerRecord> {
  throw new Error('to come');
}
export async function updateCustomer(_ctx: Ctx, _key: { id: string }, _input: CustomerInput): Promise<CustomerRecord> {
  throw new Error('to come');
}
export async function showCustomer(_ctx: Ctx, _key: { id: string }): Promise<CustomerDetail> {
  throw new Error('to come');
}
