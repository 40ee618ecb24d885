/** The more often one stands here, the more often it is used. */
export const channels = ['email', 'email', 'email', 'whatsapp', 'whatsapp', 'webchat', 'sms', 'phone', 'other'];

/** `>` is the customer, `<` the team, `#` a note. */
const texts = [
  `Where is my order?
> Hello, I ordered more than a week ago and nothing has arrived. Can you look into it?
# The courier has had it since Tuesday.
< Hello! It left us on Tuesday and should be with you within two days. Here is the tracking link.
> Thank you, I can see it now.
< Glad to hear it. Write to us if it has not come by Friday.
> It came today. All good!`,
  `Arrived broken
> The mug has a crack. I am attaching a photo.
< I am sorry about that. Would you like a new one, or your money back?
> A new one, please.
# Replacement sent, no return needed.
< It is on its way. Please keep the old one for your plants.`,
  `Change of address
> I have moved. Could you send my order to the new address?
< Of course. Please send it to us with the postal code.
> Thanks, I have changed it in my account as well.`,
  `Wholesale prices
> Good morning, do you offer better prices for fifty pieces?
# Looks serious: a hotel.
< Good morning! From twenty pieces on we give fifteen percent. Shall we send you an offer?
> Yes please, with delivery.
< You have it in your inbox. It is good for thirty days.`,
  `Invoice
> I need an invoice with our tax number.
< Here it is. Is everything right on it?
> Perfect, thank you.`,
  `मेरा ऑर्डर कब आएगा?
> नमस्ते, मेरा ऑर्डर कब तक आएगा?
< नमस्ते! कल शाम तक आपके पास पहुँच जाएगा।
> धन्यवाद!`,
  `¿Hacen envíos a Canarias?
> Buenos días, ¿hacen envíos a Canarias?
< ¡Buenos días! Sí, tarda unos seis días.
> Estupendo, gracias.`,
  `什么时候发货？
> 你好，请问什么时候发货？
< 您好，今天下午发货，预计三天送达。
> 好的，谢谢！`,
  `متى يصل الطلب؟
> السلام عليكم، متى يصل طلبي؟
< وعليكم السلام، يصل غدا إن شاء الله.
> شكرا جزيلا`,
  `Falsche Größe
> Das Hemd ist zu klein. Kann ich es umtauschen?
< Gern! Das Etikett für die Rücksendung liegt bei.
> Danke, ist unterwegs.
# Rücksendung am Montag angekommen.
< Das größere Hemd ist heute raus.`,
  `Is this vegan?
> Is the honey soap vegan?
< It is not, but the sandalwood one is.
> Good to know, thanks.`,
  `A compliment
> I just wanted to say that the tea is wonderful.
< That makes our day. Thank you!`,
];

const directions = { '>': 'inbound', '<': 'outbound', '#': 'note' } as const;

export const threads = texts.map((text) => {
  const [subject = '', ...lines] = text.split('\n');
  const messages = lines.map((line) => ({ direction: directions[line[0] as '>' | '<' | '#'], body: line.slice(2) }));
  return { subject, messages };
});
