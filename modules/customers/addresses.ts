import type { Ctx } from '@chowk/kit';
import type { Address, AddressChanges, NewAddress } from './schemas.ts';

type Key = { id: string; addr: string };
export async function listAddresses(_ctx: Ctx, _key: { id: string }): Promise<Address[]> {
  throw new Error('to come');
}
export async function addAddress(_ctx: Ctx, _key: { id: string }, _input: NewAddress): Promise<Address> {
  throw new Error('to come');
}
export async function updateAddress(_ctx: Ctx, _key: Key, _changes: AddressChanges): Promise<Address> {
  throw new Error('to come');
}
export async function deleteAddress(_ctx: Ctx, _key: Key): Promise<void> {
  throw new Error('to come');
}
export async function setDefaultAddress(_ctx: Ctx, _key: Key): Promise<Address> {
  throw new Error('to come');
}
