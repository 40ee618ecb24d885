interface Owner {
  readonly user: string | undefined;
  readonly tenant: string;
  readonly name: string;
}

/** Names that begin with `draft`, `reply` or `outbox` hold what a user has typed, with data of customers. */
export function userStorageKey({ user, tenant, name }: Owner): string {
  return `${keyPrefix(user)}${tenant}.${name}`;
}

function keyPrefix(user: string | undefined): string {
  return `chowk.${user ?? 'anonymous'}.`;
}

export function removeOtherDrafts(user: string | undefined): void {
  for (const key of Object.keys(localStorage)) {
    const isDraft = key.startsWith('chowk.') && /\.(draft|reply|outbox)\./.test(key);
    if (isDraft && !key.startsWith(keyPrefix(user))) localStorage.removeItem(key);
  }
}
