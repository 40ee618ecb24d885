import { type Ctx, NamedObject, Nullable, type Static, sql, Type, Uuid } from '@chowk/kit';
import { fail } from './errors.ts';

export const MessageHtmlKey = Type.Object({
  id: Uuid,
  message: Uuid,
  images: Type.Optional(
    Type.Boolean({
      description: 'Include images from other servers. Those servers then learn that the mail was read.',
    }),
  ),
});
export const MessageHtml = NamedObject('ConversationMessageHtml', {
  html: {
    ...Nullable(Type.String()),
    description: 'Without scripts, styles and forms. Null if the message has no HTML.',
  },
  has_remote_images: Type.Boolean({ description: 'Whether it has pictures of other servers.' }),
});

/** Larger pictures are only attachments. */
const maxEmbeddedBytes = 2_000_000;

/** The HTML of a mail, which was cleaned when it came in. Pictures of the mail itself are part of it. */
export async function showMessageHtml(
  ctx: Ctx,
  { id, message, images = false }: Static<typeof MessageHtmlKey>,
): Promise<Static<typeof MessageHtml>> {
  const row = await ctx.db.row<{ html: string | null }>(sql`
    SELECT html FROM conversation_messages WHERE id = ${message} AND conversation_id = ${id}`);
  if (!row) throw fail('conversations.message_not_found', { id: message });
  if (row.html === null) return { html: null, has_remote_images: false };
  const remote = ' data-remote-src="';
  const html = await embedPictures(ctx, message, row.html);
  return { html: images ? html.replaceAll(remote, ' src="') : html, has_remote_images: html.includes(remote) };
}

async function embedPictures(ctx: Ctx, messageId: string, html: string): Promise<string> {
  const pictures = await ctx.db.rows<{ id: string; file_id: string; type: string; size: number }>(sql`
    SELECT id, file_id, type, size FROM conversation_attachments
    WHERE message_id = ${messageId} AND file_id IS NOT NULL AND type LIKE 'image/%' ORDER BY id`);
  let shown = html;
  let bytes = 0;
  for (const { id, file_id, type, size } of pictures) {
    const place = ` data-attachment="${id}"`;
    bytes += size;
    if (!shown.includes(place) || bytes > maxEmbeddedBytes) continue;
    const content = Buffer.concat(await Array.fromAsync((await ctx.files.read(file_id)) as AsyncIterable<Buffer>));
    shown = shown.replaceAll(place, ` src="data:${type};base64,${content.toString('base64')}"`);
  }
  return shown;
}
