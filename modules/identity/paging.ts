import { type Static, Type } from '@chowk/kit';

const properties = {
  page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1 }),
  per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};
/** Which page of a list is wanted. */
export const Paging = Type.Object(properties);
export type Paging = Static<typeof Paging>;

export function paginationOf({ page, per_page }: Paging, total: number) {
  return { current_page: page, last_page: Math.max(1, Math.ceil(total / per_page)), per_page, total };
}

export function offsetOf({ page, per_page }: Paging): number {
  return (page - 1) * per_page;
}
