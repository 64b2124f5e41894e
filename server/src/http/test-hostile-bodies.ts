import type { Content } from '@passport/contract/endpoint'
import * as z from 'zod/mini'

/** A part of a body that an attacker controls, and the body around it. */
export interface Place {
  /** Such as `whatIf.schema`; empty for the whole body. */
  name: string
  kind: 'text' | 'list' | 'map' | 'other'
  /** JSON that the contract accepts in this place. */
  sample: string
  /** Returns the body with this JSON in the place. */
  wrap: (json: string) => string
}

/** A family of values whose cost could exceed their size. */
export interface HostileValue {
  name: string
  /** `json` is JSON for any place; `text` is raw text for text places. */
  kind: 'json' | 'text'
  /** Returns a value of at most `bytes` bytes, as JSON or as the content of a JSON string. */
  write: (bytes: number, sample: string) => string
  /** The allowed CPU time for 100 KB of the value in milliseconds, if above the default. */
  maxCpuMs?: number
}

export interface HostileBody {
  type: string
  text: string
}

/** Repeats parts, separated by `separator`, between two ends until no more fit into `bytes`. */
function fill(
  bytes: number,
  [open, close]: [string, string],
  separator: string,
  part: (index: number) => string,
): string {
  const parts: string[] = []
  let left = bytes - Buffer.byteLength(open) - Buffer.byteLength(close)
  for (let index = 0; ; index++) {
    const next = part(index)
    left -= jsonLength(next) + jsonLength(separator)
    if (left < 0) return open + parts.join(separator) + close
    parts.push(next)
  }
}

/** Repeats one part; faster than `fill` for many megabytes. */
function repeat(bytes: number, part: string, [open, close]: [string, string] = ['', '']): string {
  const times = Math.floor((bytes - open.length - close.length) / jsonLength(part))
  return open + part.repeat(Math.max(0, times)) + close
}

/** Returns an upper bound of the bytes that a text or JSON takes in a body. */
function jsonLength(text: string): number {
  return Math.max(Buffer.byteLength(text), Buffer.byteLength(JSON.stringify(text)) - 2)
}

const writeList = (bytes: number, part: (index: number) => string) => fillJson(bytes, ['[', ']'], part)
const writeMap = (bytes: number, part: (index: number) => string) => fillJson(bytes, ['{', '}'], part)

function fillJson(bytes: number, [open, close]: [string, string], part: (index: number) => string): string {
  const first = part(0)
  const times = Math.floor((bytes - 2) / (Buffer.byteLength(first) + 1)) - 1
  if (first === part(1)) return `${open}${`${first},`.repeat(Math.max(0, times))}${first}${close}`
  const parts: string[] = []
  let left = bytes - 2
  for (let index = 0; ; index++) {
    const next = part(index)
    left -= Buffer.byteLength(next) + 1
    if (left < 0) return open + parts.join(',') + close
    parts.push(next)
  }
}

/** Marks of falling combining class, which normalisation has to sort. */
const fallingMarks = '\u0345\u035d\u035c\u0315\u0300\u0316\u031b\u0321\u05b0\u0334'

const word = (index: number) => `w${index.toString(36)}`

export const hostileValues: HostileValue[] = [
  { name: 'deep lists', kind: 'json', write: (bytes) => nest(bytes, '[', ']') },
  { name: 'deep objects', kind: 'json', write: (bytes) => nest(bytes, '{"a":', '}', '1') },
  { name: 'many wrong elements', kind: 'json', write: (bytes) => writeList(bytes, () => '1') },
  { name: 'many empty objects', kind: 'json', write: (bytes) => writeList(bytes, () => '{}') },
  { name: 'many empty lists', kind: 'json', write: (bytes) => writeList(bytes, () => '[]') },
  { name: 'many right elements', kind: 'json', write: (bytes, sample) => writeList(bytes, () => sample) },
  {
    name: 'many different elements',
    kind: 'json',
    write: (bytes, sample) => writeList(bytes, (index) => sample.replaceAll(/"(x|me)"/g, `"${word(index)}"`)),
  },
  { name: 'a wide object', kind: 'json', write: (bytes) => writeMap(bytes, (index) => `"${word(index)}":1`) },
  {
    name: 'nested wide objects',
    kind: 'json',
    write: (bytes) => writeList(bytes, (index) => `{"${word(index)}":{"":[]}}`),
  },
  { name: 'a long key', kind: 'json', write: (bytes) => `{"${'k'.repeat(bytes - 6)}":1}` },
  {
    name: 'errors under a long key',
    kind: 'json',
    write: (bytes) => `{"${'k'.repeat(bytes / 2)}":${writeList(bytes / 2 - 5, () => '"\\u0000"')}}`,
  },
  { name: 'duplicate keys', kind: 'json', write: (bytes) => writeMap(bytes, () => '"name":"x"') },
  { name: 'huge numbers', kind: 'json', write: (bytes) => writeList(bytes, () => '1e999') },
  { name: 'a long number', kind: 'json', write: (bytes) => '9'.repeat(bytes) },
  { name: 'control characters', kind: 'json', write: (bytes) => repeat(bytes, '\\u0007', ['"', '"']) },
  { name: 'unpaired surrogates', kind: 'json', write: (bytes) => writeList(bytes, () => '"\\ud800"') },
  { name: 'a long text', kind: 'text', write: (bytes) => repeat(bytes, 'x') },
  { name: 'blanks', kind: 'text', write: (bytes) => `x${repeat(bytes - 2, ' ')}x` },
  { name: 'line ends', kind: 'text', write: (bytes) => repeat(bytes, '\n') },
  { name: 'combining marks', kind: 'text', write: (bytes) => writeCombiningMarks(bytes) },
  { name: 'emoji of many parts', kind: 'text', write: (bytes) => repeat(bytes, '\u{1f468}\u200d') },
  { name: 'dots and signs', kind: 'text', write: (bytes) => repeat(bytes, 'a@a.-') },
  { name: 'quotes', kind: 'text', write: (bytes) => repeat(bytes, '"') },
  { name: 'YAML keys', kind: 'text', write: (bytes) => fill(bytes, ['', ''], '\n', (index) => `${word(index)}: 1`) },
  {
    name: 'YAML flow keys',
    kind: 'text',
    write: (bytes) => fill(bytes, ['{', '}'], ', ', (index) => `${word(index)}: 1`),
  },
  { name: 'YAML aliases', kind: 'text', write: (bytes) => writeYamlAliases(bytes) },
  {
    name: 'YAML anchors',
    kind: 'text',
    write: (bytes) => fill(bytes, ['', ''], '\n', (index) => `- &${word(index)} 1`),
  },
  { name: 'YAML nesting', kind: 'text', write: (bytes) => repeat(bytes, '- ') },
  {
    name: 'YAML assertions',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['assertions:\n  assertTrue:\n', ''], '\n', (index) => `  - "document:${word(index)}#view@user:x"`),
  },
  {
    name: 'YAML relationships',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['relationships: |\n', ''], '\n', (index) => `  document:${word(index)}#viewer@user:x`),
  },
  {
    name: 'YAML wrong relationships',
    kind: 'text',
    write: (bytes) => fill(bytes, ['relationships:\n  "', '"'], '\\n', (index) => `document:${word(index)}#`),
  },
  { name: 'schema partials', kind: 'text', write: (bytes) => writeSchemaPartials(bytes) },
  { name: 'schema arrows', kind: 'text', write: (bytes) => writeSchemaArrows(bytes) },
  {
    name: 'schema chains',
    kind: 'text',
    write: (bytes) =>
      fill(
        bytes,
        ['definition user {}\n', ''],
        '\n',
        (index) => `definition ${name(index)} {relation mmm: ${name(index + 1)}#mmm;}`,
      ),
  },
  { name: 'schema annotations', kind: 'text', write: (bytes) => writeSchemaAnnotations(bytes) },
  {
    name: 'schema errors',
    kind: 'text',
    write: (bytes) => fill(bytes, ['definition user {', ';}'], ';', (index) => `relation ${name(index)}: x`),
  },
  {
    name: 'schema parentheses',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['definition user {relation abc: user;', ';}'], ';', (index) => {
        return `permission ${name(index)} = ${'('.repeat(90)}abc${' - abc)'.repeat(90)}`
      }),
  },
  {
    name: 'a caveat of many terms',
    kind: 'text',
    write: (bytes) => fill(bytes, ['caveat ccc(a int) {', '}\ndefinition user {}'], ' + ', () => 'a'),
  },
  {
    name: 'a caveat of nested loops',
    kind: 'text',
    write: (bytes) => nestText(bytes, 'caveat ccc(a list<int>) {', 'a.all(x, ', 'true', ')', '}\ndefinition user {}'),
  },
  {
    name: 'a caveat of parentheses',
    kind: 'text',
    write: (bytes) => nestText(bytes, 'caveat ccc(a int) {', '(', 'a', ')', ' == 1}\ndefinition user {}'),
  },
  {
    name: 'many caveats',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['definition user {}\n', ''], '\n', (index) => `caveat ${name(index)}(a int) {a + 1 == 2}`),
  },
  {
    name: 'a caveat of a large list',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['caveat ccc(a int) {a in [', ']}\ndefinition user {}'], ',', (index) => String(index)),
  },
  { name: 'CSV columns', kind: 'text', write: (bytes) => repeat(bytes, 'name,') },
  {
    name: 'CSV rows of many columns',
    kind: 'text',
    write: (bytes) => `username,${repeat(bytes / 2, ',')}\n${repeat(bytes / 2 - 20, 'a.username.x\n')}`,
  },
  {
    name: 'CSV rows',
    kind: 'text',
    write: (bytes) =>
      fill(bytes, ['username,displayName,email\n', ''], '\n', (index) => `${name(index)},${name(index)},@`),
  },
  {
    // A short row costs as much as a long one. An import has a line limit, and yields to other requests.
    name: 'CSV rows of one letter',
    kind: 'text',
    write: (bytes) => `username\n${repeat(bytes - 10, 'a\n')}`,
    maxCpuMs: 1500,
  },
  { name: 'CSV quotes', kind: 'text', write: (bytes) => `username\n"${repeat(bytes - 20, '""')}` },
]

/** A name that the schema language accepts. */
const name = (index: number) => `x${index.toString(36).padStart(4, '0')}`

function nest(bytes: number, open: string, close: string, core = ''): string {
  const times = Math.floor((bytes - core.length) / (open.length + close.length))
  return open.repeat(times) + core + close.repeat(times)
}

function nestText(bytes: number, before: string, open: string, core: string, close: string, after: string): string {
  return before + nest(bytes - before.length - after.length - 2, open, close, core) + after
}

/** Writes a run of each combining mark, the highest class first. */
function writeCombiningMarks(bytes: number): string {
  const run = Math.max(1, Math.floor((bytes - 2) / 2 / fallingMarks.length))
  return `a${[...fallingMarks].map((mark) => mark.repeat(run)).join('')}`
}

function writeYamlAliases(bytes: number): string {
  const row = (index: number) =>
    `${word(index)}: &${word(index)} [${Array(9).fill(index ? `*${word(index - 1)}` : 'x')}]`
  return fill(bytes, ['', ''], '\n', row)
}

/** Writes as many relations in a partial as definitions that include it. */
function writeSchemaPartials(bytes: number): string {
  const half = bytes / 2
  const partial = fill(half - 30, ['partial ppp {', ';}\n'], ';', (index) => `relation ${name(index)}: user`)
  return `use partial\ndefinition user {}\n${partial}${fill(half - 40, ['', ''], '\n', (index) => `definition ${name(index)} {...ppp;}`)}`
}

/** Writes as many arrows as types to which each of them leads. */
function writeSchemaArrows(bytes: number): string {
  const part = Math.floor(bytes / 3) - 30
  const types = fill(part, ['', ''], '\n', (index) => `definition ${name(index)} {}`)
  const allowed = fill(part, ['definition zzz {relation rrr: ', ''], '|', (index) => name(index))
  return `${types}\n${allowed}\n${fill(part, ['', ''], '\n', (index) => `permission ${name(index)} = rrr->${name(index)}`)};}`
}

/** Writes definitions whose annotations each need the subject types of the whole schema. */
function writeSchemaAnnotations(bytes: number): string {
  const definition = (index: number) =>
    `definition ${name(index)} {relation rrr: ${name(index)}|${name(index + 1)}#ppp\npermission ppp:user = rrr;}`
  return fill(bytes, ['use typechecking\ndefinition user {}\n', ''], '\n', definition)
}

interface JsonSchema {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  format?: string
}

/** Valid values by property name, so that a sample is not rejected early. */
const usualValues: Record<string, string> = {
  type: 'document',
  permission: 'view',
  relation: 'viewer',
  resourceType: 'document',
}

/** Lists the parts of a body that can be replaced, the whole body first. */
export function findPlaces({ schema, bodyField }: Content): Place[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const resolve = (part: JsonSchema): JsonSchema => {
    const definition = part.$ref && root.$defs?.[part.$ref.replace('#/$defs/', '')]
    return definition ? resolve(definition) : part
  }
  const createSample = (part: JsonSchema, propertyName = ''): unknown => {
    const { const: fixed, enum: choices, anyOf, oneOf, type, items, properties = {}, required = [] } = resolve(part)
    if (fixed !== undefined) return fixed
    if (choices) return choices[0]
    const first = (anyOf ?? oneOf)?.[0]
    if (first) return createSample(first, propertyName)
    if (type === 'array') return items ? [createSample(items)] : []
    if (type === 'object')
      return Object.fromEntries(required.map((key) => [key, createSample(properties[key] ?? {}, key)]))
    if (type === 'integer' || type === 'number') return 1
    if (type === 'boolean') return true
    return usualValues[propertyName] ?? 'x'
  }
  const listPlaces = (unresolved: JsonSchema, name: string, wrap: Place['wrap']): Place[] => {
    const part = resolve(unresolved)
    const options = part.anyOf ?? part.oneOf
    if (options) return options.flatMap((option) => listPlaces(option, name, wrap))
    const { type, properties = {}, required = [], items } = part
    const sample = JSON.stringify(createSample(items ?? part, name))
    if (type === 'array')
      return [
        { name, kind: 'list', sample, wrap },
        ...(items ? listPlaces(items, `${name}[]`, (json) => wrap(`[${json}]`)) : []),
      ]
    if (type === 'string') return part.enum ? [] : [{ name, kind: 'text', sample, wrap }]
    if (type !== 'object') return []
    const members = Object.entries(properties).flatMap(([key, member]) => {
      const requiredMembers = Object.fromEntries(
        required.filter((other) => other !== key).map((other) => [other, createSample(properties[other] ?? {}, other)]),
      )
      const before = JSON.stringify(requiredMembers).slice(0, -1)
      const comma = before === '{' ? '' : ','
      const wrapMember = (json: string) => wrap(`${before}${comma}${JSON.stringify(key)}:${json}}`)
      return listPlaces(member, name ? `${name}.${key}` : key, wrapMember)
    })
    return members.length > 0 ? members : [{ name, kind: 'map', sample, wrap }]
  }
  const whole: Place = { name: '', kind: 'other', sample: JSON.stringify(createSample(root)), wrap: (json) => json }
  const member = (json: string) => (bodyField ? `{${JSON.stringify(bodyField)}:${json}}` : json)
  return [whole, ...listPlaces(root, bodyField ?? '', member)]
}

/** Values are written in steps of this size, so that one value can be reused in several places. */
const sizeStep = 1024
let last: { value: HostileValue; bytes: number; sample: string; written: string } | undefined

function writeOnce(value: HostileValue, bytes: number, sample: string): string {
  if (last?.value === value && last.bytes === bytes && last.sample === sample) return last.written
  const written = value.write(bytes, sample)
  last = { value, bytes, sample, written }
  return written
}

/** Reports whether a hostile value fits a place: text only in text places, and no JSON in a table. */
export function fits({ type }: Content, place: Place, { kind }: HostileValue): boolean {
  return kind === 'text' ? place.kind === 'text' : type !== 'text/csv'
}

/**
 * Creates a body with a hostile value in a matching place; undefined if the rest of the body leaves too little room.
 */
export function createHostileBody(
  content: Content,
  place: Place,
  value: HostileValue,
  bytes: number,
): HostileBody | undefined {
  if (content.type !== 'application/json' && value.kind === 'text')
    return { type: content.alternativeType ?? content.type, text: value.write(bytes, place.sample) }
  const available = bytes - Buffer.byteLength(place.wrap('""'))
  if (available < sizeStep) return undefined
  const written = writeOnce(value, available - (available % sizeStep), place.sample)
  return { type: 'application/json', text: place.wrap(value.kind === 'text' ? JSON.stringify(written) : written) }
}
