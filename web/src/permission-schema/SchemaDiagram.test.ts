import { reflectSchema } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { expect, test } from 'vitest'
import { toDiagram } from './SchemaDiagram.tsx'

const diagramOf = (text: string) => {
  const reflected = { ...reflectSchema(compileSchema(text)), text, readAt: 'r' }
  const { types, edges } = toDiagram(reflected as Parameters<typeof toDiagram>[0])
  return {
    types: types.map(({ name }) => name),
    edges: edges.map(({ source, target, labels }) => `${source} → ${target}: ${labels.join(', ')}`),
  }
}
const directory = 'definition passport/user {}\ndefinition passport/group {\n  relation member: passport/user\n}\n'

test('an arrow has all relations between two types, with usersets and wildcards marked', () => {
  const own = `definition document {
    relation owner: passport/user
    relation viewer: passport/user:* | passport/group#member
    relation parent: document
  }`
  expect(diagramOf(directory + own)).toEqual({
    types: ['passport/user', 'passport/group', 'document'],
    edges: [
      'document → passport/user: owner, viewer *',
      'document → passport/group: viewer #member',
      'document → document: parent',
    ],
  })
})

test("the directory's own relations are shown only without other types", () => {
  expect(diagramOf(`${directory}definition user {}`)).toEqual({ types: ['user'], edges: [] })
  expect(diagramOf(directory).edges).toEqual(['passport/group → passport/user: member'])
})
