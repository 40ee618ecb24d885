/** Where customers are from. A name that is not written in Latin letters has behind a slash how it is in an email. */
export interface Country {
  readonly name: string;
  /** How many of a hundred customers. */
  readonly share: number;
  /** What a mobile number begins with, and how many digits follow. */
  readonly phone: readonly [start: string, digits: number];
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly streets: readonly string[];
  /** City, state. */
  readonly cities: readonly (readonly [city: string, state: string])[];
  /** How many digits a postal code has, the first of them not zero. */
  readonly pincode: number;
}

const words = (text: string) => text.split(', ');
const places = (text: string) =>
  words(text).map((place) => place.split(' in ') as unknown as readonly [string, string]);

export const countries: readonly Country[] = [
  {
    name: 'India',
    share: 55,
    phone: ['+919', 9],
    first: words(
      'Asha, Ravi, Priya, Arjun, Ananya, Vikram, Meera, Rohan, Kavya, Sanjay, Divya, Rahul, Neha, Amit, Pooja, Karthik, Lakshmi, Suresh, Deepa, Manish, Aishwarya, Nikhil, Sunita, Varun, Gita, Imran, Fatima, Harpreet, Simran, Joseph, आशा/asha, रवि/ravi, प्रिया/priya, अर्जुन/arjun, மீனா/meena',
    ),
    last: words(
      'Rao, Sharma, Iyer, Patel, Singh, Gupta, Nair, Reddy, Das, Mehta, Joshi, Kulkarni, Banerjee, Chatterjee, Menon, Pillai, Verma, Mishra, Khan, Fernandes, Kaur, Desai, Bhat, Shetty, Ghosh, Agarwal, Malhotra, Chopra, Naidu, Thomas, शर्मा/sharma, पटेल/patel',
    ),
    streets: words(
      'MG Road, Station Road, Gandhi Nagar, Lake View Road, Temple Street, Park Street, Ring Road, 5th Cross',
    ),
    cities: places(
      'Mumbai in Maharashtra, Pune in Maharashtra, Delhi in Delhi, Bengaluru in Karnataka, Chennai in Tamil Nadu, Hyderabad in Telangana, Kolkata in West Bengal, Ahmedabad in Gujarat, Jaipur in Rajasthan, Kochi in Kerala, Lucknow in Uttar Pradesh, Indore in Madhya Pradesh',
    ),
    pincode: 6,
  },
  {
    name: 'Germany',
    share: 6,
    phone: ['+49151', 8],
    first: words('Anna, Jürgen, Käthe, Lukas, Sophie, Björn, Marie, Felix, Jörg, Lena, Günther, Clara'),
    last: words('Müller, Schmidt, Schröder, Weber, Weiß, Becker, Groß, Fischer, Krämer, Vogel'),
    streets: words('Hauptstraße, Lindenweg, Bahnhofstraße, Goethestraße, Am Markt'),
    cities: places('Berlin in Berlin, Hamburg in Hamburg, Köln in Nordrhein-Westfalen, München in Bayern'),
    pincode: 5,
  },
  {
    name: 'France',
    share: 5,
    phone: ['+336', 8],
    first: words('Chloé, Léa, François, Hugo, Amélie, Théo, Inès, Étienne, Zoé, René, Noémie, Gaël'),
    last: words('Martin, Lefèvre, Bernard, Dubois, Garçon, Moreau, Béranger, Rousseau, Faure, Noël'),
    streets: words('Rue de la République, Avenue Victor Hugo, Rue des Lilas, Place du Marché'),
    cities: places('Paris in Île-de-France, Lyon in Auvergne-Rhône-Alpes, Marseille in Provence, Nantes in Loire'),
    pincode: 5,
  },
  {
    name: 'Spain',
    share: 5,
    phone: ['+346', 8],
    first: words('José, María, Íñigo, Lucía, Ángel, Sofía, Martín, Begoña, Raúl, Inés, Jesús, Nuria'),
    last: words('García, Núñez, López, Muñoz, Martínez, Ibáñez, Sánchez, Peña, Gómez, Ruiz'),
    streets: words('Calle Mayor, Gran Vía, Calle del Sol, Paseo de Gracia'),
    cities: places('Madrid in Madrid, Sevilla in Andalucía, Valencia in Valencia, Málaga in Andalucía'),
    pincode: 5,
  },
  {
    name: 'Poland',
    share: 4,
    phone: ['+4850', 7],
    first: words('Zofia, Łukasz, Małgorzata, Paweł, Agnieszka, Michał, Grażyna, Krzysztof, Żaneta, Jan'),
    last: words('Nowak, Wiśniewska, Wójcik, Kowalczyk, Zieliński, Szymańska, Dąbrowski, Kozłowska'),
    streets: words('ul. Długa, ul. Kwiatowa, ul. Polna, Aleja Róż'),
    cities: places('Warszawa in Mazowieckie, Kraków in Małopolskie, Łódź in Łódzkie, Gdańsk in Pomorskie'),
    pincode: 5,
  },
  {
    name: 'China',
    share: 13,
    phone: ['+86138', 8],
    first: words(
      '伟/wei, 芳/fang, 娜/na, 敏/min, 静/jing, 丽/li, 强/qiang, 磊/lei, 洋/yang, 艳/yan, 勇/yong, 杰/jie, 欣怡/xinyi, 子涵/zihan, 浩然/haoran, 雨桐/yutong, Mei, Jun, Xiaoli, Bo',
    ),
    last: words(
      '王/wang, 李/li, 张/zhang, 刘/liu, 陈/chen, 杨/yang, 黄/huang, 赵/zhao, 吴/wu, 周/zhou, 徐/xu, 孙/sun, Lin, Guo, He',
    ),
    streets: words('人民路, 中山路, 解放路, 建设街, 和平路'),
    cities: places('北京 in 北京, 上海 in 上海, 广州 in 广东, 深圳 in 广东, 杭州 in 浙江, 成都 in 四川'),
    pincode: 6,
  },
  {
    name: 'United Arab Emirates',
    share: 7,
    phone: ['+97150', 7],
    first: words(
      'محمد/mohammed, فاطمة/fatima, أحمد/ahmed, مريم/maryam, علي/ali, عائشة/aisha, يوسف/yousef, نورة/noura, خالد/khalid, ليلى/layla, Omar, Hessa, Salem, Amina',
    ),
    last: words(
      'المنصوري/almansoori, الشامسي/alshamsi, الحمادي/alhammadi, حداد/haddad, خوري/khoury, Al Zaabi, Nasser, Rahman',
    ),
    streets: words('شارع الشيخ زايد, شارع الخليج, Corniche Road, Al Wasl Road'),
    cities: places('دبي in دبي, أبوظبي in أبوظبي, الشارقة in الشارقة, Dubai in Dubai'),
    pincode: 5,
  },
  {
    name: 'Egypt',
    share: 5,
    phone: ['+2010', 8],
    first: words(
      'محمود/mahmoud, هبة/heba, كريم/karim, سلمى/salma, طارق/tarek, ياسمين/yasmine, Mostafa, Dina, Sherif, Nadia',
    ),
    last: words('حسن/hassan, إبراهيم/ibrahim, السيد/elsayed, عبد الله/abdallah, Farouk, Mansour, Zaki, Saleh'),
    streets: words('شارع التحرير, شارع النيل, شارع رمسيس, شارع الهرم'),
    cities: places('القاهرة in القاهرة, الإسكندرية in الإسكندرية, الجيزة in الجيزة'),
    pincode: 5,
  },
];

export const tagNames = words(
  'newsletter, wholesale, gift buyer, corporate, fair 2025, influencer, students, local pickup',
);
export const noteTexts = [
  'Prefers to be called in the evening.',
  'Allergic to nuts.',
  'Always asks for an invoice with the tax number.',
  'Met at the spring fair; interested in the hampers.',
  'Delivery only on weekdays.\nThe gate code is with the guard.',
];
