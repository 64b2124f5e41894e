import fc from 'fast-check'
import { tokenize } from '../src/schema/tokens.ts'

const relations = ['owner', 'viewer', 'member', 'parent']
/** The expression of each may contain those before it. */
const permissions = ['admin', 'edit', 'view']

/** Mostly valid values, with so few invalid ones that every third schema is valid. */
const mostlyValid = <T>(valid: fc.Arbitrary<T>, invalid: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 150, arbitrary: valid }, { weight: 1, arbitrary: invalid })

const type = mostlyValid(fc.constantFrom('user', 'group', 'doc', 'org/team'), fc.constant('nothing'))
const relation = mostlyValid(fc.constantFrom(...relations), fc.constantFrom('nothing', 'view'))
const anyMember = fc.constantFrom(...relations, ...permissions, 'nothing')

function operandArbitrary(known: string[]) {
  const arrow = fc
    .constantFrom('->', '.any', '.all')
    .chain((sign) =>
      fc
        .tuple(relation, anyMember)
        .map(([left, right]) => (sign === '->' ? `${left}->${right}` : `${left}${sign}(${right})`)),
    )
  return fc.oneof(
    { weight: 8, arbitrary: mostlyValid(fc.constantFrom(...known), anyMember) },
    { weight: 4, arbitrary: arrow },
    { weight: 1, arbitrary: fc.constantFrom('nil', 'self') },
  )
}

/** Joins parts by random operators. */
export const chain = (part: fc.Arbitrary<string>) =>
  fc
    .tuple(part, fc.array(fc.tuple(fc.constantFrom(' + ', ' & ', ' - '), part), { maxLength: 4 }))
    .map(([first, others]) => first + others.map(([sign, next]) => sign + next).join(''))
const nested = (part: fc.Arbitrary<string>) =>
  chain(fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: chain(part).map((text) => `(${text})`) }))
export const expression = nested(operandArbitrary(relations))

const subject = fc
  .tuple(
    type,
    fc.oneof(
      { weight: 40, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constant(':*') },
      {
        weight: 20,
        arbitrary: mostlyValid(fc.constantFrom(...relations, ...permissions), fc.constant('nothing')).map(
          (name) => `#${name}`,
        ),
      },
    ),
    mostlyValid(
      fc.constantFrom('', '', '', ' with tenant', ' with expiration', ' with tenant and expiration'),
      fc.constant(' with other'),
    ),
  )
  .map((parts) => parts.join('').replace(/^org\/team#.*?(?= |$)/, 'org/team'))

const comment = fc.constantFrom('', '', '', '// note\n', '/** two\n * lines */\n')
const statements = [
  ...relations.map((name) =>
    fc
      .tuple(comment, fc.uniqueArray(subject, { minLength: 1, maxLength: 3 }))
      .map(([note, subjects]) => `${note}relation ${name}: ${subjects.join(' | ')}`),
  ),
  ...permissions.map((name, index) =>
    fc
      .tuple(comment, nested(operandArbitrary([...relations, ...permissions.slice(0, index)])))
      .map(([note, text]) => `${note}permission ${name} = ${text}`),
  ),
]
const body = mostlyValid(fc.tuple(...statements), fc.tuple(...statements.slice(1))).map((lines) =>
  lines.map((line) => `  ${line}\n`).join(''),
)

export const schema = fc
  .tuple(
    mostlyValid(fc.constant('use self\nuse expiration\n'), fc.constantFrom('use self\n', 'use expiration\n')),
    mostlyValid(
      fc.constant('caveat tenant(at string, of list<string>) {\n  at in of && at != "}"\n}\n'),
      fc.constant(''),
    ),
    body,
    body,
    body,
  )
  .map(([uses, caveat, user, group, doc]) => {
    const definitions = Object.entries({ user, group, doc, 'org/team': '' })
    return uses + caveat + definitions.map(([name, text]) => `definition ${name} {\n${text}}\n`).join('\n')
  })

/** A schema with one or two tokens replaced. */
export const damaged = fc
  .tuple(
    schema,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom(
          '',
          '\n',
          ';',
          '(',
          ')',
          '{',
          '}',
          '*',
          '...',
          '->',
          ' relation ',
          '"',
          '//',
          '/*',
          '|',
          '#',
          ':',
          'x',
        ),
      ),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
  )
  .map(([text, changes]) => {
    const tokens = tokenize(text).map((token) => token.text)
    for (const [at, sign] of changes) tokens[at % tokens.length] = sign
    return tokens.join('')
  })
