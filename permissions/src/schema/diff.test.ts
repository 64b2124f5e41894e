import { describe, expect, it } from 'vitest'
import { compileSchema } from '../compile.ts'
import { diffSchemas } from './diff.ts'

const before = `
caveat tenant(at string, of string) { at == of }
definition user {}
definition group {
  relation member: user | group#member
}
definition folder {
  relation viewer: user | group#member with tenant
  permission view = viewer
}
// Something to read.
definition doc {
  relation parent: folder
  relation owner: user
  relation banned: user
  permission edit = owner
  permission view = parent->view + edit - banned
}`

const diff = (change: (text: string) => string) => diffSchemas(compileSchema(before), compileSchema(change(before)))
const replace = (from: string, to: string) => diff((text) => text.replace(from, to))

describe('diffSchemas', () => {
  it.each([
    ['nothing', '', ''],
    ['the order of operands', 'parent->view + edit', 'edit + parent->view'],
    ['parentheses', 'parent->view + edit - banned', '((parent->view) + edit) - banned'],
    ['the other arrow syntax', 'parent->view', 'parent.any(view)'],
    ['a repeated operand', 'permission edit = owner', 'permission edit = owner + owner'],
    ['the order of subjects', 'user | group#member\n', 'group#member | user\n'],
    ['the formatting of a caveat', '{ at == of }', '{\n  at==of // the same\n}'],
    ['the order of parameters', 'at string, of string', 'of string, at string'],
    ['the form of a comment', '// Something to read.', '/** Something to read. */'],
  ])('ignores %s', (_what, from, to) => {
    expect(replace(from, to)).toEqual([])
  })

  it('reports a changed permission with its dependents across arrows', () => {
    expect(replace('permission view = viewer', 'permission view = viewer - nil')).toEqual([
      {
        kind: 'permission-changed',
        name: 'folder#view',
        before: 'viewer',
        after: 'viewer - nil',
        affects: ['doc#view', 'folder#view'],
      },
    ])
  })

  it('shows expressions with all parentheses', () => {
    expect(replace('edit - banned', 'edit & owner - banned')).toMatchObject([
      {
        name: 'doc#view',
        before: '(parent->view + edit) - banned',
        after: '((parent->view + edit) & owner) - banned',
        affects: ['doc#view'],
      },
    ])
  })

  it('reports added and removed subjects', () => {
    expect(replace('relation member: user |', 'relation member: user with tenant |')).toEqual([
      { kind: 'subject-removed', name: 'group#member', before: 'user', affects: ['doc#view', 'folder#view'] },
      { kind: 'subject-added', name: 'group#member', after: 'user with tenant', affects: ['doc#view', 'folder#view'] },
    ])
  })

  it('reports a relation that becomes a permission', () => {
    expect(replace('relation banned: user', 'permission banned = nil')).toEqual([
      { kind: 'relation-removed', name: 'doc#banned', before: 'user', affects: ['doc#banned', 'doc#view'] },
      { kind: 'permission-added', name: 'doc#banned', after: 'nil', affects: ['doc#banned', 'doc#view'] },
    ])
  })

  it('reports a changed caveat with the permissions it affects', () => {
    const caveat = 'caveat tenant(at string, of string)'
    expect(replace('at == of', 'at != of')).toEqual([
      {
        kind: 'caveat-changed',
        name: 'tenant',
        before: `${caveat} { at == of }`,
        after: `${caveat} { at != of }`,
        affects: ['doc#view', 'folder#view'],
      },
    ])
  })

  it('reports definitions, caveats and comments', () => {
    expect(
      diff((text) => `${text.replace('// Something to read.', '')}\ndefinition org {\n  permission use_it = nil\n}`),
    ).toEqual([
      { kind: 'comment-changed', name: 'doc', before: 'Something to read.', affects: [] },
      { kind: 'definition-added', name: 'org', affects: ['org#use_it'] },
    ])
    expect(diff(() => 'definition user {}').map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'definition-removed doc',
      'definition-removed folder',
      'definition-removed group',
      'caveat-removed tenant',
    ])
  })

  it('truncates the affected permissions where each change affects thousands', () => {
    const chain = (first: string) => {
      const permissions = Array.from(
        { length: 1000 },
        (_, index) => `  permission next${index + 1} = next${index} + ${first}`,
      )
      return `definition user {}\ndefinition doc {\n  relation aaa: user\n  relation bbb: user\n  permission next0 = aaa\n${permissions.join('\n')}\n}`
    }
    const differences = diffSchemas(compileSchema(chain('aaa')), compileSchema(chain('bbb')))
    expect(differences).toHaveLength(1000)
    expect(differences[0]).not.toHaveProperty('isCut')
    expect(differences[0]?.affects).toHaveLength(1000)
    expect(differences.at(-1)).toMatchObject({ kind: 'permission-changed', isCut: true })
    expect(differences.flatMap(({ affects }) => affects).length).toBeLessThan(55_000)
  })
})
