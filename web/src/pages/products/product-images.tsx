import type { Product, ProductImage } from '@chowk/client';
import { useState } from 'react';
import { affectedByImages } from '../../api/affected-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { api } from '../../session/session.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { ImageEditor } from './image-editor.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** The images of a product. Changes are saved at once. */
export function ProductImages({ product }: { readonly product: Product }) {
  const { images } = product;
  if (useCan()('products.edit')) return <EditedImages product={product} />;
  if (images.length === 0) return null;
  return (
    <Section title="Images">
      <ul className="grid grid-cols-4 gap-3">
        {images.map((image) => (
          <li key={image.id}>
            <Thumbnail image={image} alt={image.alt} className="aspect-square w-full" />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function EditedImages({ product: { id, title, images } }: { readonly product: Product }) {
  const [asked, setAsked] = useState<ProductImage>();
  const refetch = useRefetch();
  const affects = affectedByImages(id);
  const update = useAction(
    (client, input: { image: string; alt?: string; position?: number }) =>
      client.products.updateImage({ id, ...input }),
    { affects },
  );
  const remove = useAction((client, image: string) => client.products.deleteImage({ id, image }), {
    affects,
    done: () => 'Image deleted.',
  });
  const close = () => setAsked(undefined);
  return (
    <>
      <ImageEditor
        images={images}
        upload={async (file, send) => {
          await api().products.addImage({ id, file, alt: '' }, { fetch: send });
          await refetch(...affects);
        }}
        onMove={(image, position) => update.mutate({ image: image.id, position })}
        onDescribe={(image, alt) => update.mutate({ image: image.id, alt })}
        onDelete={setAsked}
      />
      <ConfirmDialog
        title="Delete this image?"
        isOpen={asked !== undefined}
        onClose={close}
        action="Delete image"
        isBusy={remove.isPending}
        onConfirm={() => asked && remove.mutate(asked.id, { onSettled: close })}
      >
        Image {images.findIndex((image) => image.id === asked?.id) + 1} of {title} is deleted, also where websites show
        it. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}
