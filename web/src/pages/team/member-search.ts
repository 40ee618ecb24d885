import { pick } from '../../routing/search-params.ts';

/** What the address of the list of members can have. */
export const memberSearch = pick('search', 'role', 'sort_by', 'sort_order');
