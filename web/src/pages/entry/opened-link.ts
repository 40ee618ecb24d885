/** What a mailed link is about, or why it cannot be used. */
export interface OpenedLink<Content> {
  readonly content?: Content;
  readonly error?: Error;
}

export async function openLink<Content>(reading: Promise<Content>): Promise<OpenedLink<Content>> {
  try {
    return { content: await reading };
  } catch (error) {
    return { error: error as Error };
  }
}
