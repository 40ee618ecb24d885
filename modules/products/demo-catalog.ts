/**
 * A line for each product: `title, category, price of the first variant; variant, variant, …`. Each variant costs more
 * than the one before.
 */
const lines = `
Assam tea, Tea, 180; 100 g, 250 g, 500 g, 1 kg, 20 bags
Darjeeling first flush, Tea, 420; 50 g, 100 g, 250 g, 500 g, gift tin
Masala chai, Tea, 150; 100 g, 250 g, 500 g, 1 kg, 50 bags
Sencha, Tea, 390; 50 g, 100 g, 250 g, 500 g, gift tin
Filter coffee, Coffee, 220; 200 g, 500 g, 1 kg, with chicory, decaffeinated
Espresso beans, Coffee, 480; 250 g, 500 g, 1 kg, 2 kg, single estate
Basmati rice, Pantry, 140; 500 g, 1 kg, 5 kg, 10 kg, aged
Cold-pressed sesame oil, Pantry, 310; 250 ml, 500 ml, 1 l, 2 l, 5 l
Olive oil, Pantry, 690; 250 ml, 500 ml, 1 l, 3 l, harvest tin
Wild honey, Pantry, 260; 150 g, 300 g, 500 g, 1 kg, with comb
Mango pickle, Pantry, 120; 150 g, 300 g, 500 g, 1 kg, extra hot
Garam masala, Spices, 90; 50 g, 100 g, 250 g, 500 g, whole
Kashmiri saffron, Spices, 450; 0.5 g, 1 g, 2 g, 5 g, 10 g
Cardamom, Spices, 210; 25 g, 50 g, 100 g, 250 g, 500 g
Medjool dates, Snacks, 380; 250 g, 500 g, 1 kg, stuffed, gift box
Roasted almonds, Snacks, 340; 200 g, 400 g, 800 g, salted, honeyed
Baklava, Snacks, 520; 6 pieces, 12 pieces, 24 pieces, pistachio, mixed
Dark chocolate, Snacks, 190; 70 %, 85 %, orange, sea salt, box of five
Cotton kurta, Clothing, 899; S, M, L, XL, XXL
Silk scarf, Clothing, 1490; indigo, saffron, emerald, ivory, hand-painted
Linen shirt, Clothing, 1699; S, M, L, XL, XXL
Wool shawl, Clothing, 2490; grey, crimson, navy, undyed, embroidered
Leather sandals, Clothing, 1290; 38, 40, 42, 44, 46
Cotton bedspread, Home, 1890; single, double, queen, king, quilted
Jute rug, Home, 1450; 60 × 90 cm, 90 × 150 cm, 120 × 180 cm, 160 × 230 cm, round
Brass lamp, Home, 1190; small, medium, large, hanging, pair
Ceramic mug, Home, 349; white, blue, speckled, with lid, set of four
Copper bottle, Home, 790; 500 ml, 750 ml, 1 l, hammered, engraved
Teapot, Home, 1390; 400 ml, 800 ml, 1.2 l, cast iron, with warmer
Steel tiffin, Kitchen, 690; 2 tiers, 3 tiers, 4 tiers, insulated, with bag
Spice box, Kitchen, 990; steel, brass, acacia, with spices, large
Chef's knife, Kitchen, 1790; 15 cm, 18 cm, 21 cm, 24 cm, Damascus
Cast-iron pan, Kitchen, 1590; 20 cm, 24 cm, 26 cm, 30 cm, with lid
Sandalwood soap, Care, 95; bar, set of three, set of six, liquid, travel
Rose water, Care, 160; 100 ml, 200 ml, 500 ml, spray, gift set
Argan oil, Care, 590; 30 ml, 50 ml, 100 ml, 250 ml, for hair
Beeswax candle, Gifts, 240; votive, pillar, tall, set of four, scented
Handmade notebook, Gifts, 280; A6, A5, A4, dotted, leather-bound
Fountain pen, Gifts, 1890; fine, medium, broad, with ink, lacquered
Festival hamper, Gifts, 1990; small, medium, large, family, office
`;

export interface CatalogVariant {
  readonly sku: string;
  /** The title of the product and the variant. */
  readonly title: string;
  readonly value: string;
  /** In hundredths. */
  readonly price: number;
  readonly weight: number | null;
}

export interface CatalogProduct {
  readonly title: string;
  readonly category: string;
  /** The name of its only option. */
  readonly option: string;
  readonly variants: readonly CatalogVariant[];
}

export const catalogProducts: readonly CatalogProduct[] = lines.trim().split('\n').map(readLine);

/** All variants. */
export const catalog: readonly CatalogVariant[] = catalogProducts.flatMap(({ variants }) => variants);

function readLine(line: string): CatalogProduct {
  const [head = '', values = ''] = line.split('; ');
  const [title = '', category = '', price = ''] = head.split(', ');
  const option = /^[\dSMLX]/.test(values) ? 'Size' : 'Style';
  const variants = values.split(', ').map((value, index) => ({
    sku: generateSku(`${title} ${value}`),
    title: `${title}, ${value}`,
    value,
    price: Math.round(Number(price) * (1 + 0.7 * index)) * 100,
    weight: readWeight(value),
  }));
  return { title, category, option, variants };
}

/** In grams. */
function readWeight(value: string): number | null {
  const [, number, unit] = /^([\d.]+) (g|kg|ml|l)$/.exec(value) ?? [];
  return number === undefined ? null : Math.ceil(Number(number) * (unit === 'kg' || unit === 'l' ? 1_000 : 1));
}

function generateSku(text: string): string {
  const words = text.toUpperCase().match(/[A-Z0-9.%]+/g) ?? [];
  return words.map((word) => (/^\d/.test(word) ? word : word.slice(0, 4))).join('-');
}
