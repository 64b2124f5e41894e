import { describe, expect, it } from 'vitest'
import { compileSchema } from '../compile.ts'
import { SchemaError } from '../error.ts'
import { parseSchema } from './parse.ts'
import { printExpression, printSchema } from './print.ts'
import { reflectSchema } from './reflect.ts'
import { tokenize } from './tokens.ts'

const parseAndPrint = (text: string, parenthesised = true) => {
  const [definition] = parseSchema(`use self\ndefinition doc {\n  permission aaa = ${text}\n}`).definitions
  const expression = definition?.permissions[0]?.expression
  return expression && printExpression(expression, { parenthesised })
}

describe('an expression', () => {
  it.each([
    ['a - b + c', 'a - (b + c)'],
    ['a + b & c', '(a + b) & c'],
    ['a & b + c', 'a & (b + c)'],
    ['a - b & c', 'a - (b & c)'],
    ['a - b - c', '(a - b) - c'],
    ['a - (b - c)', 'a - (b - c)'],
    ['a + (b + c)', 'a + b + c'],
    ['a & (b & (c))', 'a & b & c'],
    ['a -> b + c.any( d ) - e.all(f)', '(a->b + c->d) - e.all(f)'],
    ['nil + self', 'nil + self'],
  ])('%s is parsed as %s', (text, expected) => {
    expect(parseAndPrint(text)).toBe(expected)
  })

  it('is printed without redundant parentheses unless requested', () => {
    expect(parseAndPrint('(a - b) - (c + d) & (e - f)', false)).toBe('a - b - c + d & (e - f)')
  })
})

describe('the words of a schema', () => {
  const keywords = (text: string) => tokenize(text).flatMap(({ kind, text }) => (kind === 'keyword' ? [text] : []))

  it('become keywords by their use', () => {
    expect(keywords('use self\ndefinition self {}')).toEqual(['use', 'self', 'definition', 'self'])
    expect(keywords('definition self {}\nuse self')).toEqual(['definition'])
    expect(keywords('use expiration\n and expiration self')).toEqual(['use', 'expiration', 'and', 'expiration'])
  })

  it('have lines and columns across all kinds of newlines', () => {
    const identifiers = tokenize('a\nb\r\n/* x\n */ c\rd').filter(({ kind }) => kind === 'identifier')
    expect(identifiers.map(({ span: { start } }) => [start.line, start.column, start.offset])).toEqual([
      [1, 1, 0],
      [2, 1, 2],
      [4, 5, 14],
      [5, 1, 16],
    ])
  })
})

const text = `use self
use expiration
use partial

/**
 * Where one
 * works.
 */
caveat tenant(at string, of list<string>) {
  // nowhere else
  at in of && {"}": true}["}"]
}
// A person.
definition user {} // lost
partial shared {
  // Who may look.
  relation viewer: user | user:* with tenant | group#member with tenant and expiration
}
definition group {
  relation member: user
}
definition doc {
  ...shared
  // Who may
  //
  // look at all.
  permission view = viewer - viewer & self
  relation parent: doc
  permission above = parent->view + group_view
  permission group_view: user | group = nil
}
`

describe('a schema', () => {
  it('is printed canonically, with partials inlined', () => {
    expect(printSchema(parseSchema(text))).toBe(`use self
use expiration

// Where one
// works.
caveat tenant(at string, of list<string>) {
  at in of && {"}": true}["}"]
}

// A person.
definition user {}

definition group {
  relation member: user
}

definition doc {
  // Who may look.
  relation viewer: user | user:* with tenant | group#member with tenant and expiration
  relation parent: doc

  // Who may
  //
  // look at all.
  permission view = viewer - (viewer & self)
  permission above = parent->view + group_view
  permission group_view: user | group = nil
}
`)
  })

  it('is reflected with the subject types of each permission', () => {
    const { definitions, caveats } = reflectSchema(compileSchema(text))
    const everyone = [{ type: 'group', relation: 'member' }, { type: 'user' }]
    expect(definitions[2]?.permissions).toEqual([
      { name: 'view', comment: 'Who may\n\nlook at all.', expression: 'viewer - (viewer & self)', subjects: everyone },
      { name: 'above', expression: 'parent->view + group_view', subjects: everyone },
      { name: 'group_view', expression: 'nil', subjects: [] },
    ])
    expect(definitions[2]?.relations[0]).toEqual({
      name: 'viewer',
      comment: 'Who may look.',
      allowed: [
        { type: 'user' },
        { type: 'user', isWildcard: true, caveat: 'tenant' },
        { type: 'group', relation: 'member', caveat: 'tenant', hasExpiration: true },
      ],
      subjects: everyone,
    })
    expect(caveats).toMatchObject([{ name: 'tenant', comment: 'Where one\nworks.' }])
    expect(JSON.stringify({ definitions, caveats })).not.toContain('span')
  })

  it.each([
    ['viewer & parent', []],
    ['viewer & other', ['user']],
    ['viewer + self', ['doc', 'group#member', 'user']],
    ['parent->view', []],
    ['other - viewer', ['robot', 'user']],
    ['nil', []],
  ])('%s has the subject types %j', (expression, subjects) => {
    const schema = compileSchema(`use self
      definition user {}
      definition robot {}
      definition group {\nrelation member: user\n}
      definition doc {
        relation viewer: group#member
        relation other: user | robot
        relation parent: doc
        permission view = ${expression}
      }`)
    const [permission] = reflectSchema(schema).definitions.at(-1)?.permissions ?? []
    expect(permission?.subjects.map(({ type, relation }) => (relation ? `${type}#${relation}` : type))).toEqual(
      subjects,
    )
  })

  it('is rejected with all its problems in text order', () => {
    const broken = 'definition doc {\n  relation aaa: nobody\n  permission bbb = ccc->ddd + bbb\n}\ndefinition d {}'
    const error = (() => {
      try {
        return compileSchema(broken)
      } catch (error) {
        return error
      }
    })()
    expect(error).toBeInstanceOf(SchemaError)
    expect(error).toMatchObject({
      code: 'schema-invalid',
      field: 'schema',
      message: 'Line 2, column 17: The definition `nobody` does not exist.',
    })
    const { problems } = error as SchemaError
    expect(problems.map(({ span }) => broken.slice(span.start.offset, span.end.offset))).toEqual([
      'nobody',
      'permission bbb = ccc->ddd + bbb',
      'ccc->ddd',
      'definition d {}',
    ])
  })
})
