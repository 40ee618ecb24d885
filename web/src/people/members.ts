import type { Client, Member } from '@chowk/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { keys } from '../api/query-keys.ts';
import { useApi, useCan } from '../api/use-api.ts';

/** All members of the team, for those who may see them. */
export function useMembers(): UseQueryResult<readonly Member[]> {
  return useApi(keys.team.names, readMembers, useCan()('team.view'));
}

async function readMembers(client: Client): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (let page = 1; ; page++) {
    const { team, pagination } = await client.team.list({ page, per_page: 100 });
    members.push(...team);
    if (!('total' in pagination) || members.length >= pagination.total || team.length === 0) return members;
  }
}
