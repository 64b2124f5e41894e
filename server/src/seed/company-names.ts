import { pickByShare } from './generated-directory.ts'

/* The names of the users, organisations, groups and roles of the generated company. */

/** Names of a language, each as `name` or, in another script, `name/latin`. Usernames and emails use the Latin form. */
interface Language {
  /** The number of users with such a name in a thousand. */
  share: number
  first: string
  last: string
  /** The family name comes first, without a space between the names. */
  isFamilyFirst?: true
}

const languages: Language[] = [
  {
    share: 230,
    first:
      'Alice Amelia Ben Charlotte Daniel Emily Fiona George Hannah Isaac Jack Lily Martha Noah Oliver Ruby Sophie Thomas',
    last: "Adams Baker Campbell Davies Ellis Foster Grant Hughes Jenkins Kelly Lawson Murray Nash O'Brien Parker Reed Shaw Turner",
  },
  {
    share: 130,
    first: 'Anna Ben Clara Emil Felix Greta Hannes Ida Jonas Karla Lukas Mia Moritz Nele Paul Sophia Theo Jürgen',
    last: 'Bauer Böhm Fischer Großmann Hoffmann Jäger Keller Krüger Lang Möller Neumann Richter Schäfer Vogel Weber Zimmermann',
  },
  {
    share: 110,
    first: 'Alba Álvaro Carmen Diego Elena Gonzalo Inés Javier Lucía Marina Mateo Nuria Pablo Raúl Sofía Tomás',
    last: 'Álvarez Castro Delgado Fernández García Herrera Iglesias Jiménez López Martín Núñez Ortega Peña Romero Vega',
  },
  {
    share: 80,
    first: 'Adèle Bastien Camille Chloé Élodie Étienne François Inès Jules Léa Manon Mathis Noémie Rémi Zoé',
    last: 'Bernard Chevalier Dubois Fontaine Garnier Lambert Lefèvre Marchand Mercier Noël Perrin Renault Rousseau Simon',
  },
  {
    share: 70,
    first: 'Aneta Bartosz Dorota Grzegorz Hanna Jakub Kinga Łukasz Małgorzata Oskar Piotr Tomasz Wojciech Zofia',
    last: 'Adamczyk Baran Dąbek Gołąb Jabłoński Kaczmarek Lis Mazur Nowak Pawlak Sikora Szczepaniak Wójcik Żak',
  },
  {
    share: 60,
    first: 'Aino Astrid Bjørn Eero Freja Gunnar Ingrid Jóhanna Lars Maja Nils Sigrún Søren Tuuli Åsa',
    last: 'Andersen Berg Dahl Eriksson Hansen Järvinen Korhonen Lindqvist Mäkelä Nygård Olsen Solberg Strøm Virtanen',
  },
  {
    share: 60,
    first: 'Adaeze Amara Chidi Folake Kofi Kwame Makena Ngozi Nia Obinna Sade Tendai Thabo Wanjiru Zuri',
    last: 'Abara Adeyemi Banda Dlamini Eze Kamau Mensah Mwangi Nkosi Okafor Okoro Osei Sithole Tembo',
  },
  {
    share: 50,
    first: 'Ayşe Berk Can Defne Elif Emre Gökhan İpek Kerem Leyla Mert Nazlı Özge Zeynep',
    last: 'Acar Aydın Çelik Demir Doğan Güneş Kaya Koç Öztürk Şahin Yıldız Yılmaz',
  },
  {
    share: 40,
    first: 'An Bảo Châu Dũng Hà Hương Khánh Lan Linh Minh Nga Phúc Quân Thảo',
    last: 'Bùi Đặng Đỗ Hoàng Lê Ngô Nguyễn Phạm Phan Trần Võ',
  },
  {
    share: 35,
    first: '伟/wei 芳/fang 娜/na 敏/min 静/jing 磊/lei 洋/yang 婷/ting 浩/hao 雪/xue 明/ming 琳/lin',
    last: '王/wang 李/li 张/zhang 刘/liu 陈/chen 杨/yang 赵/zhao 黄/huang 周/zhou 吴/wu 徐/xu 孙/sun',
    isFamilyFirst: true,
  },
  {
    share: 25,
    first:
      '葵/aoi 蓮/ren 陽菜/hina 湊/minato 結衣/yui 大翔/hiroto 美咲/misaki 悠真/yuma 凛/rin さくら/sakura 健太/kenta',
    last: '佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 伊藤/ito 渡辺/watanabe 山本/yamamoto 中村/nakamura 小林/kobayashi',
    isFamilyFirst: true,
  },
  {
    share: 20,
    first: '민준/minjun 서연/seoyeon 지우/jiwoo 하준/hajun 수아/sua 도윤/doyun 은서/eunseo 시우/siwoo',
    last: '김/kim 이/lee 박/park 최/choi 정/jung 강/kang 조/cho 윤/yoon',
    isFamilyFirst: true,
  },
  {
    share: 25,
    first: 'محمد/mohammed فاطمة/fatima عمر/omar ليلى/layla يوسف/yusuf مريم/maryam خالد/khalid نور/noor سلمى/salma',
    last: 'حداد/haddad منصور/mansour الخطيب/alkhatib نجار/najjar صالح/saleh فارس/fares العلي/alali',
  },
  {
    share: 20,
    first: 'Анна/anna Вера/vera Дарья/darya Елена/elena Ирина/irina Мария/maria Ольга/olga Юлия/yulia',
    last: 'Белова/belova Волкова/volkova Зайцева/zaitseva Козлова/kozlova Орлова/orlova Соколова/sokolova',
  },
  {
    share: 15,
    first: 'प्रिया/priya अर्जुन/arjun अनीता/anita रोहन/rohan मीरा/meera विक्रम/vikram नेहा/neha आदित्य/aditya',
    last: 'शर्मा/sharma पटेल/patel सिंह/singh गुप्ता/gupta राव/rao मेहता/mehta जोशी/joshi',
  },
  {
    share: 10,
    first: 'Ελένη/eleni Μαρία/maria Σοφία/sofia Κατερίνα/katerina Δήμητρα/dimitra',
    last: 'Παππά/pappa Νικολάου/nikolaou Γεωργίου/georgiou Δημητρίου/dimitriou Ιωάννου/ioannou',
  },
  {
    share: 10,
    first: 'נועה/noa יעל/yael דוד/david תמר/tamar אורי/uri מאיה/maya',
    last: 'כהן/cohen לוי/levi מזרחי/mizrahi פרץ/peretz ביטון/biton',
  },
  {
    share: 10,
    first: 'สมชาย/somchai มาลี/malee อรุณ/arun กมล/kamon สุดา/suda',
    last: 'ใจดี/jaidee ศรีสุข/srisuk ทองดี/thongdee แสงทอง/saengthong',
  },
]

const parseNames = (words: string) =>
  words.split(' ').map((word) => {
    const [text = '', latin = text] = word.split('/')
    return { text, latin }
  })
const parsed = languages.map((language) => ({
  ...language,
  first: parseNames(language.first),
  last: parseNames(language.last),
}))

/** A full name, and its first and last name in Latin letters. */
interface PersonName {
  name: string
  first: string
  last: string
}

/** Returns a name; each of its three choices is a number from 0 up to 1. */
export function toPersonName(language: number, first: number, last: number): PersonName {
  const chosen = pickByShare(parsed, ({ share }) => share, language)
  const given = chosen.first[Math.floor(first * chosen.first.length)]
  const family = chosen.last[Math.floor(last * chosen.last.length)]
  if (!given || !family) throw new Error('Every language has names')
  const name = chosen.isFamilyFirst ? `${family.text}${given.text}` : `${given.text} ${family.text}`
  return { name, first: given.latin, last: family.latin }
}

/** Long names, which test the layout of pages. */
export const longNames = [
  'Maria Magdalena Theodora von Hohenfels-Schwarzenberg-Lichtenau',
  'Bartholomew Alexander Featherstonehaugh-Cholmondeley',
  'María del Carmen Fernández de Córdoba y Álvarez de Toledo',
  'Oluwaseun Oluwatobiloba Adekunle-Ogunleye',
  'Aleksandra Wierzchosławska-Szczepaniakowa-Konstantynowicz',
]

export const orgNames =
  'Alder Robotics,Beacon Rail,Birchwood Clinics,Cobalt Energy,Copper & Sons,Coral Marine,Delta Freight,Ember Foods,Falcon Optics,Granite Games,Harbour Music,Heron Press,Indigo Textiles,Juniper Farms,Kestrel Air,Lumen Labs,Maple Studios,Nimbus Weather,Northwind Traders,Onyx Security,Orchard Books,Pine Street Bakery,Quarry Stone,Raven Analytics,Saffron Travel,Tidal Power,Umber Ceramics,Vector Mapping,Willow Health,Zephyr Bikes,Atelier Mercier,Müller Feinmechanik,Søndergaard Møbler,Łódź Design,Estudio Peña,Sato Precision,Okafor Logistics,Yıldız Tekstil,Royal Society for the Conservation of Coastal Meadows and Wetlands,Bright Kids'.split(
    ',',
  )

/** Names of groups, some with `: ` and a description; earlier groups are larger. */
export const groupNames =
  'Everyone in the office: All people with a desk in one of our offices,Engineering: Builds and runs the products,Newsletter readers,Customer support: First and second line,Sales,Product council: Decides what is built next,On call: Carries the phone this month,Design,Security champions: One person of each team,Photography club,Data platform,Release managers,Marketing,Mobile team,Finance,Web team,Contractors: People from partner companies,Beta testers: Get features a week early,Works council,Accessibility guild,People team,Documentation,Night shift,Legal,Facilities,Incident reviewers,Research,Partnerships,Translators: Nine languages,Site reliability,Procurement,Quality assurance,Training,Events,Press office,Running group,Summer interns,Database owners,First aiders,Fire wardens,Brand guardians,Board assistants,Podcast,Analytics,Internal audit,Book circle,Payments,Search team,Garden committee,Warehouse pilots,Archive: Keeps what must be kept for ten years,Identity team,Chess club,Travel desk,Green team,Audio lab,Stage crew,Prototype review,Founders,Break-glass access: Used in emergencies only; every use is reviewed'.split(
    ',',
  )

/** The descriptions of the roles that are not built in, by name; earlier roles are more common. */
export const roleDescriptions: Record<string, string> = {
  'Wiki.Reader': 'Reads all pages of the wiki',
  'Wiki.Editor': 'Writes and moves pages of the wiki',
  'Desk.Agent': 'Answers tickets of customers',
  'Stage.Viewer': 'Watches rehearsals and recordings',
  'Stage.Editor': 'Edits stages and their schedules',
  'Reports.Reader': 'Opens published reports',
  'Shop.Support': 'Looks up orders and grants refunds up to 100',
  'Deploy.Operator': 'Starts and stops releases',
  'Reports.Author': 'Writes and publishes reports',
  'Shop.Manager': 'Changes products and prices',
  'Desk.Lead': 'Assigns tickets and edits macros',
  'Billing.Reader': 'Reads invoices',
  'Translate.Editor': 'Translates texts of all products',
  'Stage.Owner': 'Creates stages and appoints editors',
  'Data.Analyst': 'Queries the warehouse, without personal data',
  'Billing.Manager': 'Writes invoices and credit notes',
  'Deploy.Approver': 'Approves releases to production',
  'Assets.Librarian': 'Manages licences of photos and music',
  'Data.Steward': 'Queries the warehouse, personal data included',
  'Hiring.Interviewer': 'Sees applications that are assigned to them',
  'Hiring.Manager': 'Sees all applications',
  'Payments.Approver': 'Releases payments above 10,000',
  'Vault.BreakGlass': 'Reads production secrets in an emergency',
}

/** The roles of groups, by the name of the group. */
export const groupRoles: Record<string, string[]> = {
  'Everyone in the office': ['Wiki.Reader'],
  Engineering: ['Reports.Reader', 'Wiki.Editor'],
  'Customer support': ['Desk.Agent', 'Shop.Support'],
  Sales: ['Billing.Reader'],
  'On call': ['Deploy.Operator'],
  'Data platform': ['Data.Analyst'],
  'Release managers': ['Deploy.Approver', 'Deploy.Operator'],
  Finance: ['Billing.Manager', 'Billing.Reader'],
  Contractors: ['Wiki.Reader'],
  'People team': ['Hiring.Manager'],
  Documentation: ['Wiki.Editor'],
  Translators: ['Translate.Editor'],
  Events: ['Stage.Editor'],
  'Database owners': ['Data.Steward'],
  Payments: ['Payments.Approver'],
  'Stage crew': ['Stage.Editor', 'Stage.Viewer'],
  'Break-glass access': ['Vault.BreakGlass'],
}

export const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
]
