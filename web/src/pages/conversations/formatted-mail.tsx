import type { ConversationMessage } from '@chowk/client';
import { useEffect, useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { ReadError } from '../../ui/read-error.tsx';

/** A mail as its sender has formatted it, if the reader wants to see it so. */
export function FormattedMail({ message }: { readonly message: ConversationMessage }) {
  const { id, conversation_id } = message;
  const [isShown, setShown] = useState(false);
  const [hasImages, setImages] = useState(false);
  const mail = useApi(
    keys.conversations.messageHtml(id),
    (client) => client.conversations.messageHtml({ id: conversation_id, message: id }),
    isShown,
  );
  const withImages = useApi(
    keys.conversations.messageHtml(id, true),
    (client) => client.conversations.messageHtml({ id: conversation_id, message: id, images: true }),
    isShown && hasImages,
  );
  const data = hasImages ? (withImages.data ?? mail.data) : mail.data;
  const error = mail.data ? (withImages.data ? null : withImages.error) : mail.error;
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <Button
        variant="quiet"
        className="-ml-2 justify-self-start px-2! text-sm"
        aria-expanded={isShown}
        isBusy={mail.isLoading}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide formatted mail' : 'Show formatted mail'}
      </Button>
      {isShown && error && <ReadError error={error} />}
      {isShown && data && (
        <>
          {data.has_remote_images && !withImages.data && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <p className="text-sm text-secondary">
                Pictures of other servers are hidden: they would report that the mail is read.
              </p>
              <Button isBusy={withImages.isLoading} onClick={() => setImages(true)}>
                Show images
              </Button>
            </div>
          )}
          <MailFrame html={data.html ?? ''} />
        </>
      )}
    </div>
  );
}

/** The policy of the page also holds in the frame and forbids styles in its text. */
const style = `
  html { background: #fff; }
  body { margin: 12px; font: 14px/1.5 system-ui, sans-serif; color: #1c1f26; overflow-wrap: anywhere; }
  img { max-width: 100%; height: auto; }
  img:not([src]) { display: none; }
  table { max-width: 100%; }`;

/** Without scripts, on white as mails expect, and as high as its content. Links open in another tab. */
function MailFrame({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [content, setContent] = useState<HTMLElement>();
  const [height, setHeight] = useState(0);
  useEffect(() => {
    if (!content) return;
    const observer = new ResizeObserver(() => setHeight(content.offsetHeight));
    observer.observe(content);
    return () => observer.disconnect();
  }, [content]);
  const prepare = () => {
    const { contentDocument: page, contentWindow: view } = frame.current as HTMLIFrameElement;
    if (!page || !view) return;
    const sheet = new (view as Window & typeof globalThis).CSSStyleSheet();
    sheet.replaceSync(style);
    page.adoptedStyleSheets = [sheet];
    setContent(page.documentElement);
  };
  return (
    <iframe
      ref={frame}
      title="Formatted mail"
      sandbox="allow-same-origin allow-popups"
      srcDoc={`<!doctype html><base target="_blank"><body>${html}`}
      onLoad={prepare}
      style={{ height }}
      className="w-xl max-w-full rounded-control"
    />
  );
}
