import { pick } from '../../routing/search-params.ts';

/** What the address of the changes can have. */
export const changeSearch = pick('user_id', 'resource', 'resource_id', 'outcome', 'from', 'to', 'sort_order');

/** What the address of the activity of accounts can have. */
export const accountSearch = pick('user_id', 'from', 'to', 'sort_order');
