import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { unlessLink } from '../mail/mails.ts';
import { isOpen } from '../team/invitations.ts';

interface Access {
  readonly kind: 'client' | 'invitation' | 'owner';
  readonly name: string;
  /** The id of the API client. */
  readonly id: string | null;
  readonly tenant_id: string;
}

/** In a mail. */
const maxEntries = 50;

const labels = { client: 'API client', invitation: 'Open invitation of', owner: 'Other Owner' } as const;

/** Paragraphs that list access that is older than a takeover, and so is not ended: its owner must decide. */
export async function listAccessToCheck(ctx: SystemCtx, tx: Db, userId: number): Promise<string[]> {
  const access = await tx.rows<Access>(sql`
    SELECT 'client' AS kind, c.name, c.id, c.tenant_id FROM oauth_clients c WHERE c.created_by = ${userId}
    UNION ALL
    SELECT 'invitation', i.email, NULL, i.tenant_id FROM invitations i WHERE i.invited_by = ${userId} AND ${isOpen(ctx)}
    UNION ALL
    SELECT 'owner', coalesce(u.email, u.pending_email), NULL, o.tenant_id
    FROM memberships m JOIN memberships o ON o.tenant_id = m.tenant_id AND o.user_id <> m.user_id
      JOIN roles r ON r.id = o.role_id AND r.tenant_id IS NULL AND r.name = 'Owner' JOIN users u ON u.id = o.user_id
    WHERE m.user_id = ${userId}
    ORDER BY tenant_id, kind, name LIMIT ${maxEntries}`);
  if (access.length === 0) return [];
  return ['Check what is older, and remove what you do not know:', ...access.map(describe)];
}

function describe({ kind, name, id, tenant_id }: Access): string {
  return `${labels[kind]} ${kind === 'client' ? (unlessLink(name) ?? id) : name} in ${tenant_id}`;
}
