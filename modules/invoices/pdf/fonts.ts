import { readFile } from 'node:fs/promises';
import type { Font, GlyphPosition } from 'fontkit';

/** Noto Sans: Latin, Greek, Cyrillic, Devanagari and the signs of currencies. */
export interface Fonts {
  readonly regular: Font;
  readonly semibold: Font;
}

let loaded: Promise<Fonts> | undefined;

/** Read with the first document and kept: parsed fonts are the slowest part of a short one. */
export function loadFonts(): Promise<Fonts> {
  loaded ??= readFonts();
  return loaded;
}

async function readFonts(): Promise<Fonts> {
  const [regular, semibold] = await Promise.all([
    readFont(new URL('./fonts/noto-sans-regular.ttf', import.meta.url)),
    readFont(new URL('./fonts/noto-sans-semibold.ttf', import.meta.url)),
  ]);
  return { regular, semibold };
}

/** HarfBuzz shapes the text: fontkit takes a hundred times as long, seconds for a page of Devanagari. */
async function readFont(file: URL): Promise<Font> {
  const [fontkit, harfbuzz, data] = await Promise.all([import('fontkit'), import('harfbuzzjs'), readFile(file)]);
  const font = fontkit.create(data) as Font;
  const face = new harfbuzz.Font(new harfbuzz.Face(new harfbuzz.Blob(data)));
  const buffer = new harfbuzz.Buffer();
  const layout = (text: string) => {
    buffer.reset();
    buffer.addText(text);
    buffer.guessSegmentProperties();
    harfbuzz.shape(face, buffer);
    const infos = buffer.getGlyphInfos();
    const positions = buffer.getGlyphPositions() as unknown as GlyphPosition[];
    const glyphs = infos.map(({ codepoint, cluster }, index) => {
      const letters = text.slice(cluster, infos[index + 1]?.cluster ?? text.length);
      return font.getGlyph(
        codepoint,
        Array.from(letters, (letter) => letter.codePointAt(0) as number),
      );
    });
    return { glyphs, positions, advanceWidth: positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0) };
  };
  return Object.assign(font, { layout }) as unknown as Font;
}
