import { type ProductImage, productsLimits } from '@chowk/client';
import { ArrowLeft, ArrowRight, ImagePlus, Trash2, X } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { imageTypes, type Upload, useUploads } from './use-uploads.ts';

interface ImageActions {
  /** 1 is the first. */
  readonly onMove: (image: ProductImage, position: number) => void;
  readonly onDescribe: (image: ProductImage, alt: string) => void;
  readonly onDelete: (image: ProductImage) => void;
}

interface ImageEditorProps extends ImageActions {
  readonly images: readonly ProductImage[];
  readonly upload: (file: File, send: typeof fetch) => Promise<void>;
}

/** Images to drop or choose, describe, order and delete. */
export function ImageEditor({ images, upload, ...actions }: ImageEditorProps) {
  const { uploads, add, dismiss } = useUploads(images.length, upload);
  const [isOver, setOver] = useState(false);
  const [dragged, setDragged] = useState<ProductImage>();
  const input = useRef<HTMLInputElement>(null);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const choose = (
    <Button variant="quiet" className="-mr-3.5" onClick={() => input.current?.click()}>
      <Icon icon={ImagePlus} />
      Add images
    </Button>
  );
  return (
    <Section title="Images" actions={choose}>
      <input
        ref={input}
        type="file"
        accept={imageTypes}
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
        data-own-draft
        onDragOver={(event) => {
          if (!hasFiles(event)) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          if (!hasFiles(event)) return;
          event.preventDefault();
          setOver(false);
          add([...event.dataTransfer.files]);
        }}
        className={`grid min-w-0 gap-3 rounded-panel ${isOver ? 'bg-accent-tint outline-2 outline-accent outline-dashed' : ''}`}
      >
        {images.length === 0 && uploads.length === 0 && (
          <p className="rounded-panel border border-dashed border-edge/70 px-4 py-8 text-center text-sm text-secondary">
            Drop JPEG, PNG or WebP files here. The first image is shown in lists.
          </p>
        )}
        {images.length > 0 && (
          <ul className="grid grid-cols-2 gap-x-3 gap-y-4 sm:grid-cols-[repeat(auto-fill,minmax(9rem,1fr))]">
            {images.map((image, index) => (
              <ImageItem
                key={image.id}
                image={image}
                index={index}
                total={images.length}
                dragged={dragged}
                onDrag={setDragged}
                {...actions}
              />
            ))}
          </ul>
        )}
        {uploads.length > 0 && (
          <ul className="grid gap-2">
            {uploads.map((one) => (
              <UploadItem key={one.key} upload={one} onDismiss={() => dismiss(one.key)} />
            ))}
          </ul>
        )}
      </fieldset>
    </Section>
  );
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

interface ImageItemProps extends ImageActions {
  readonly image: ProductImage;
  readonly index: number;
  readonly total: number;
  readonly dragged: ProductImage | undefined;
  readonly onDrag: (image: ProductImage | undefined) => void;
}

function ImageItem({ image, index, total, dragged, onDrag, onMove, onDescribe, onDelete }: ImageItemProps) {
  const number = index + 1;
  const isTarget = dragged !== undefined && dragged.id !== image.id;
  return (
    <li
      className="grid content-start gap-1.5"
      onDragOver={(event) => isTarget && event.preventDefault()}
      onDrop={(event) => {
        if (!isTarget) return;
        event.preventDefault();
        onDrag(undefined);
        onMove(dragged, number);
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons below move it with the keyboard */}
      <div
        draggable={total > 1}
        onDragStart={(event) => {
          event.dataTransfer.setData('text/plain', image.alt);
          onDrag(image);
        }}
        onDragEnd={() => onDrag(undefined)}
        className={`relative rounded-control ${total > 1 ? 'cursor-grab' : ''} ${dragged?.id === image.id ? 'opacity-50' : ''} ${isTarget ? 'hover:outline-2 hover:outline-accent' : ''}`}
      >
        <Thumbnail image={image} alt={image.alt} className="aspect-square w-full" />
        {index === 0 && total > 1 && (
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
            onClick={() => onMove(image, index)}
          >
            <Icon icon={ArrowLeft} />
          </IconButton>
          <IconButton
            label={`Move image ${number} back`}
            disabled={number === total}
            className="disabled:opacity-30"
            onClick={() => onMove(image, index + 2)}
          >
            <Icon icon={ArrowRight} />
          </IconButton>
        </span>
        <IconButton label={`Delete image ${number}`} onClick={() => onDelete(image)}>
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
        onBlur={({ target }) => target.value !== image.alt && onDescribe(image, target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.value = image.alt;
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.blur();
        }}
      />
    </li>
  );
}
