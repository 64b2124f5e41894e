import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { check } from '../evaluate/check.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import { validateRelationship } from '../graph/validate.ts'
import { parseValidationFile } from './validation-file.ts'

const file = await parseValidationFile(readFileSync(new URL('../../sample.yaml', import.meta.url), 'utf8'))
const schema = compileSchema(file.schema ?? '')
const results = { assertTrue: 'hasPermission', assertFalse: 'noPermission', assertCaveated: 'conditional' }

test('the relationships of the sample fit its schema', () => {
  expect(file.relationships).toHaveLength(16)
  for (const [at, relationship] of file.relationships.entries())
    expect(() => validateRelationship(schema, relationship, `${at}`)).not.toThrow()
})

test.for(file.assertions ?? [])(
  'the sample passes its assertion: $kind $question.subject.id $question.permission $question.resource.id',
  ({ kind, question: request }) => {
    const graph = new MemoryGraph()
    for (const relationship of file.relationships) graph.add(relationship)
    expect(check(schema, graph, request, { now: Date.now() }).permissionship).toBe(results[kind])
  },
)
