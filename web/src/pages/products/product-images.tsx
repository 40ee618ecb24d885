import { ChowkError, type Product, type ProductImage, productsLimits } from '@chowk/client';
import { ArrowLeft, ArrowRight, ImagePlus, Trash2, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { affectedByImages } from '../../api/affected-keys.ts';
import { errorMessage } from '../../api/error-message.ts';
import { fetchWithProgress } from '../../api/fetch-with-progress.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { api } from '../../session/session.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Thumbnail } from './thumbnail.tsx';

const { types, maxBytes } = productsLimits.addImage.file;
const maxImages = productsLimits.create.images;

interface Upload {
  readonly key: number;
  readonly name: string;
  readonly share: number;
  readonly problem?: string;
}

export function ProductImages({ product }: { readonly product: Product }) {
  const canEdit = useCan()('products.edit');
  const { uploads, add, dismiss } = useUploads(product);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add([...event.dataTransfer.files]);
  };
  const choose = (
    <Button variant="quiet" className="-mr-3.5" onClick={() => input.current?.click()}>
      <Icon icon={ImagePlus} />
      Add images
    </Button>
  );
  if (!canEdit) {
    if (product.images.length === 0) return null;
    return (
      <Section title="Images">
        <ul className="grid grid-cols-4 gap-3">
          {product.images.map((image) => (
            <li key={image.id}>
              <Thumbnail image={image} alt={image.alt} className="aspect-square w-full" />
            </li>
          ))}
        </ul>
      </Section>
    );
  }
  return (
    <Section title="Images" actions={choose}>
      <input
        ref={input}
        type="file"
        accept={types.join()}
        multiple
        aria-label="Images"
        className="hidden"
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <fieldset
        aria-label="Drop images here"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={`grid min-w-0 gap-3 rounded-panel ${isOver ? 'bg-accent-tint outline-2 outline-accent outline-dashed' : ''}`}
      >
        {product.images.length === 0 && uploads.length === 0 && (
          <p className="rounded-panel border border-dashed border-edge/70 px-4 py-8 text-center text-sm text-secondary">
            Drop JPEG, PNG or WebP files here. The first image is shown in lists.
          </p>
        )}
        {product.images.length > 0 && (
          <ul className="grid grid-cols-2 gap-x-3 gap-y-4 sm:grid-cols-3">
            {product.images.map((image, index) => (
              <ImageItem key={image.id} product={product} image={image} index={index} />
            ))}
          </ul>
        )}
        {uploads.length > 0 && (
          <ul className="grid gap-2">
            {uploads.map((upload) => (
              <UploadItem key={upload.key} upload={upload} onDismiss={() => dismiss(upload.key)} />
            ))}
          </ul>
        )}
      </fieldset>
    </Section>
  );
}

let lastKey = 0;

/** One after the other, so that the images have the order of the files. */
function useUploads({ id, images }: Product) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const refetch = useRefetch();
  const queue = useRef(Promise.resolve());
  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  const dismiss = (key: number) => setUploads((all) => all.filter((one) => one.key !== key));
  async function send(key: number, file: File): Promise<void> {
    try {
      await api().products.addImage(
        { id, file, alt: '' },
        { fetch: fetchWithProgress((share) => change(key, { share })) },
      );
      await refetch(...affectedByImages(id));
      dismiss(key);
    } catch (error) {
      change(key, { problem: describeProblem(error) });
    }
  }
  function add(files: readonly File[]): void {
    const room = maxImages - images.length - uploads.filter(({ problem }) => !problem).length;
    const added = files.map((file, index) => {
      lastKey += 1;
      const problem = fileProblem(file) ?? (index >= room ? `A product has at most ${maxImages} images.` : undefined);
      return { file, upload: { key: lastKey, name: file.name, share: 0, ...(problem && { problem }) } };
    });
    setUploads((all) => [...all, ...added.map(({ upload }) => upload)]);
    for (const { file, upload } of added) {
      if (!upload.problem) queue.current = queue.current.then(() => send(upload.key, file));
    }
  }
  return { uploads, add, dismiss };
}

function fileProblem({ type, size }: File): string | undefined {
  if (!types.some((one) => one === type)) return 'Not an image of the types JPEG, PNG or WebP.';
  if (size > maxBytes)
    return `${(size / 1024 / 1024).toFixed(1)} MB; an image has at most ${maxBytes / 1024 / 1024} MB.`;
  return undefined;
}

function describeProblem(error: unknown): string {
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return problems[0]?.message ?? errorMessage(error);
}

function UploadItem({ upload, onDismiss }: { readonly upload: Upload; readonly onDismiss: () => void }) {
  const { name, share, problem } = upload;
  return (
    <li className="flex items-center gap-3 rounded-control bg-sunken py-1 pr-1 pl-3 text-sm">
      <div className="grid min-h-9 min-w-0 flex-1 content-center gap-1 py-1">
        <span className="truncate">{name}</span>
        {problem ? (
          <span role="alert" className="text-xs text-error">
            {problem}
          </span>
        ) : (
          <meter className="bar" value={share} max={1} aria-label={`Upload of ${name}`} />
        )}
      </div>
      {problem ? (
        <IconButton label={`Dismiss ${name}`} onClick={onDismiss}>
          <Icon icon={X} />
        </IconButton>
      ) : (
        <span className="numeric w-12 pr-2 text-right text-xs text-secondary">
          {share < 1 ? `${Math.floor(share * 100)}%` : 'Saving'}
        </span>
      )}
    </li>
  );
}

interface ImageItemProps {
  readonly product: Product;
  readonly image: ProductImage;
  readonly index: number;
}

function ImageItem({ product: { id, title, images }, image, index }: ImageItemProps) {
  const [isAsking, setAsking] = useState(false);
  const affects = affectedByImages(id);
  const update = useAction(
    (client, input: { alt?: string; position?: number }) =>
      client.products.updateImage({ id, image: image.id, ...input }),
    { affects },
  );
  const remove = useAction((client) => client.products.deleteImage({ id, image: image.id }), {
    affects,
    done: () => 'Image deleted.',
  });
  const number = index + 1;
  return (
    <li className="grid content-start gap-1.5">
      <div className="relative">
        <Thumbnail image={image} alt={image.alt} className="aspect-square w-full" />
        {index === 0 && images.length > 1 && (
          <span className="absolute top-1.5 left-1.5 rounded-full bg-raised px-2 py-0.5 text-xs font-medium shadow-raised">
            Main
          </span>
        )}
      </div>
      <div className="flex justify-between">
        <span className="flex">
          <IconButton
            label={`Move image ${number} forward`}
            disabled={index === 0}
            className="disabled:opacity-30"
            onClick={() => update.mutate({ position: index })}
          >
            <Icon icon={ArrowLeft} />
          </IconButton>
          <IconButton
            label={`Move image ${number} back`}
            disabled={number === images.length}
            className="disabled:opacity-30"
            onClick={() => update.mutate({ position: index + 2 })}
          >
            <Icon icon={ArrowRight} />
          </IconButton>
        </span>
        <IconButton label={`Delete image ${number}`} onClick={() => setAsking(true)}>
          <Icon icon={Trash2} />
        </IconButton>
      </div>
      <Input
        key={image.alt}
        aria-label={`Description of image ${number}`}
        placeholder="Describe the image"
        defaultValue={image.alt}
        maxLength={productsLimits.updateImage.alt}
        className="text-sm"
        onBlur={({ target }) => target.value !== image.alt && update.mutate({ alt: target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.value = image.alt;
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <ConfirmDialog
        title="Delete this image?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete image"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Image {number} of {title} is deleted, also where shops show it. This cannot be undone.
      </ConfirmDialog>
    </li>
  );
}
