import { type CelType, parseCelType } from './cel-types.ts'

/** The parameter types and the result type of a function. */
export interface Signature {
  parameters: CelType[]
  result: CelType
}

const numbers = ['int int int', 'uint uint uint', 'double double double']
const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'].map(
  (t) => `${t} ${t} bool`,
)
const sizes = ['string int', 'bytes int', 'list<A> int', 'map<A,B> int']
const part = ['timestamp int', 'timestamp string int']
const partOrLength = [...part, 'duration int']

/**
 * The supported functions and operators of SpiceDB's CEL: argument types in order, then the result type. All other
 * calls are rejected.
 */
export const functions = readSignatures({
  '!_': ['bool bool'],
  '-_': ['int int', 'double double'],
  '_+_': [
    ...numbers,
    'string string string',
    'bytes bytes bytes',
    'list<A> list<A> list<A>',
    'duration duration duration',
    'timestamp duration timestamp',
    'duration timestamp timestamp',
  ],
  '_-_': [...numbers, 'timestamp timestamp duration', 'timestamp duration timestamp', 'duration duration duration'],
  '_*_': numbers,
  '_/_': numbers,
  '_%_': ['int int int', 'uint uint uint'],
  '_==_': ['A A bool'],
  '_!=_': ['A A bool'],
  '_<_': ordered,
  '_<=_': ordered,
  '_>_': ordered,
  '_>=_': ordered,
  '_&&_': ['bool bool bool'],
  '_||_': ['bool bool bool'],
  '_?_:_': ['bool A A A'],
  '@in': ['A list<A> bool', 'A map<A,B> bool'],
  '_[_]': ['list<A> int A', 'map<A,B> A B'],
  '@not_strictly_false': ['bool bool'],
  size: sizes,
  matches: ['string string bool'],
  dyn: ['A dyn'],
  int: ['int int', 'uint int', 'double int', 'string int', 'timestamp int', 'duration int'],
  uint: ['uint uint', 'int uint', 'double uint', 'string uint'],
  double: ['double double', 'int double', 'uint double', 'string double'],
  bool: ['bool bool', 'string bool'],
  string: [
    'string string',
    'bool string',
    'int string',
    'uint string',
    'double string',
    'bytes string',
    'duration string',
  ],
  bytes: ['bytes bytes', 'string bytes'],
  timestamp: ['timestamp timestamp', 'string timestamp', 'int timestamp'],
  duration: ['duration duration', 'string duration'],
})

/** The supported methods; the first parameter is the receiver. */
export const methods = readSignatures({
  size: sizes,
  contains: ['string string bool'],
  endsWith: ['string string bool'],
  startsWith: ['string string bool'],
  matches: ['string string bool'],
  getFullYear: part,
  getMonth: part,
  getDate: part,
  getDayOfMonth: part,
  getDayOfWeek: part,
  getDayOfYear: part,
  getHours: partOrLength,
  getMinutes: partOrLength,
  getSeconds: partOrLength,
  getMilliseconds: partOrLength,
  in_cidr: ['ipaddress string bool'],
  isSubtreeOf: ['map<string,dyn> map<string,dyn> bool'],
})

function readSignatures(table: Record<string, string[]>): ReadonlyMap<string, Signature[]> {
  return new Map(Object.entries(table).map(([name, signatures]) => [name, signatures.map(readSignature)]))
}

function readSignature(text: string): Signature {
  const terms = text.split(' ').map(parseCelType)
  return { parameters: terms.slice(0, -1), result: terms.at(-1) ?? { name: 'dyn' } }
}
