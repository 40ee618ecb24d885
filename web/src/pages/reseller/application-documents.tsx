import type { ApplicationDocument, ResellerApplication } from '@chowk/client';
import { useQuery } from '@tanstack/react-query';
import { Download, Paperclip } from 'lucide-react';
import { useRef } from 'react';
import { keys } from '../../api/query-keys.ts';
import { tenantKey } from '../../api/use-api.ts';
import { fileSize } from '../../format/numbers.ts';
import { api, useTenant } from '../../session/session.ts';
import { exactTime } from '../../time/times.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';

const labels: Readonly<Record<string, string>> = { government_id: 'Government ID', selfie: 'Selfie' };

/** The identity documents. Reading them is recorded, so they are read once. */
export function ApplicationDocuments({ application }: { readonly application: ResellerApplication }) {
  const { id, uploaded_documents, required_documents } = application;
  const tenant = useTenant();
  const { data, error } = useQuery({
    queryKey: tenantKey(tenant, keys.applications.documents(id, uploaded_documents)),
    queryFn: () => api().onboarding.listDocuments({ id }),
    enabled: uploaded_documents.length > 0,
    // A link works for five minutes, and what is shown stays when it has expired.
    staleTime: 240_000,
    gcTime: 240_000,
  });
  const missing = required_documents.filter((type) => !uploaded_documents.includes(type));
  return (
    <Section title="Documents">
      {uploaded_documents.length > 0 && !data && <Loading error={error} className="h-72" />}
      {data && (
        <ul className="grid gap-5">
          {data.documents.map((document) => (
            <DocumentItem key={document.id} document={document} />
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <p className="text-secondary">
          Not uploaded{uploaded_documents.length > 0 ? '' : ' yet'}:{' '}
          {missing.map((type) => labels[type] ?? type).join(', ')}
        </p>
      )}
    </Section>
  );
}

function DocumentItem({ document }: { readonly document: ApplicationDocument }) {
  const { type, content_type, size, uploaded_at } = document;
  const label = labels[type] ?? type;
  const address = ownAddress(document.url);
  const isImage = content_type.startsWith('image/');
  return (
    <li className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="grid">
          <span className="font-medium">{label}</span>
          <span className="text-sm text-faint">
            {isImage ? 'Picture' : 'PDF'}, {fileSize(size)}, uploaded {exactTime(uploaded_at)}
          </span>
        </span>
        <a
          href={address}
          download
          className="inline-flex h-9 items-center gap-2 rounded-control border border-line px-3 font-medium hover:bg-sunken max-md:h-11"
        >
          <Icon icon={Download} />
          Download<span className="sr-only"> {label}</span>
        </a>
      </div>
      {isImage ? (
        <PictureFrame label={label} address={address} />
      ) : (
        <p className="flex items-center gap-2 rounded-control bg-sunken px-3 py-4 text-sm text-secondary">
          <Icon icon={Paperclip} />
          Open the PDF in a program of your own: the console shows no files that can contain programs.
        </p>
      )}
    </li>
  );
}

const style = `
  html, body { height: 100%; margin: 0; background: transparent; }
  img { width: 100%; height: 100%; object-fit: contain; }`;

/** In a frame without scripts, forms and links. The policy of the page also holds in it. */
function PictureFrame({ label, address }: { readonly label: string; readonly address: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const prepare = () => {
    const { contentDocument: page, contentWindow: view } = frame.current as HTMLIFrameElement;
    if (!page || !view) return;
    const sheet = new (view as Window & typeof globalThis).CSSStyleSheet();
    sheet.replaceSync(style);
    page.adoptedStyleSheets = [sheet];
  };
  const source = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return (
    <iframe
      ref={frame}
      title={label}
      sandbox="allow-same-origin"
      srcDoc={`<!doctype html><html lang="en"><title>${label}</title><body><img alt="${label}" src="${source}">`}
      onLoad={prepare}
      className="h-72 w-full rounded-control bg-sunken"
    />
  );
}

/** Downloads of the platform come from the address of the console, which its policy always allows. */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname === '/files/download' ? pathname + search : url;
}
