import { compileSchema } from '@passport/permissions/compile'
import { PermissionFault } from '@passport/permissions/fault'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { reflectSchema } from '@passport/permissions/reflect'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LookupDraft } from './lookup-draft.ts'
import { faultsOfResources, faultsOfSubjects, type LookupFaults } from './lookup-faults.ts'

const compiled = compileSchema(`definition user {}
definition group {
  relation member: user | group#member
}
definition document {
  relation viewer: user | group#member
  permission view = viewer
}`)
const schema = { ...reflectSchema(compiled), text: '', readAt: 'r' } as Parameters<typeof faultsOfResources>[0]
const graph = new MemoryGraph()

const type = fc.constantFrom('user', 'group', 'document', 'folder', 'Folder', 'x')
const id = fc.constantFrom('ada', 'a/b|c=+-', 'a b', 'al:ice', 'a#b', '*', 'ä')
const name = fc.constantFrom('view', 'viewer', 'member', 'zzz', 'No')
const relation = fc.option(name, { nil: undefined })
const question = fc.record({ type, id, relation, permission: name, other: type })

const draftOf = (part: Pick<LookupDraft, 'about' | 'permission' | 'type'>): LookupDraft => ({
  ...part,
  with: undefined,
  since: undefined,
  context: '',
})
const told = (faults: LookupFaults) => Object.values(faults).filter((fault) => fault !== undefined)
function refusalOf(ask: () => unknown): string | undefined {
  try {
    ask()
  } catch (error) {
    if (error instanceof PermissionFault) return error.message
    throw error
  }
  return undefined
}

describe('a lookup that the service refuses', () => {
  test('is told before in the same words, and no other: resources', () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const subject = { type, id, ...(relation && { relation }) }
        const faults = told(faultsOfResources(schema, draftOf({ about: subject, permission, type: other })))
        const asked = { resourceType: other, permission, subject, limit: 10 }
        const refusal = refusalOf(() => lookupResources(compiled, graph, asked, { now: 0 }))
        expect(faults.length > 0).toBe(refusal !== undefined)
        if (refusal) expect(faults).toContain(refusal)
      }),
    )
  })

  test('is told before in the same words: subjects', () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const resource = { type, id }
        const kind = relation ? `${other}#${relation}` : other
        const faults = told(faultsOfSubjects(schema, draftOf({ about: resource, permission, type: kind })))
        const asked = {
          ...{ resource, permission, subjectType: other, limit: 10, wildcards: 'include' as const },
          ...(relation && { subjectRelation: relation }),
        }
        const refusal = refusalOf(() => lookupSubjects(compiled, graph, asked, { now: 0 }))
        if (refusal) expect(faults).toContain(refusal)
        else expect(faults.filter((fault) => !fault.startsWith('By the schema'))).toEqual([])
      }),
    )
  })
})
