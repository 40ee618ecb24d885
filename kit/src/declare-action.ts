import { action as single } from './action.ts';
import { bulk } from './bulk.ts';
import { upsert } from './upsert.ts';

/** Declares an action; `action.bulk` and `action.upsert` declare those that call other actions of the module. */
export const action = Object.assign(single, { bulk, upsert });
