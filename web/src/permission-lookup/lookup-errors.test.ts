import { lookupResources, lookupSubjects, MemoryGraph, PermissionError, reflectSchema } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findResourceLookupErrors, findSubjectLookupErrors, type LookupErrors } from './lookup-errors.ts'
import type { LookupDraft } from './lookup-search.ts'

const compiled = compileSchema(`definition user {}
definition group {
  relation member: user | group#member
}
definition document {
  relation viewer: user | group#member
  permission view = viewer
}`)
const schema = { ...reflectSchema(compiled), text: '', readAt: 'r' } as Parameters<typeof findResourceLookupErrors>[0]
const graph = new MemoryGraph()

const type = fc.constantFrom('user', 'group', 'document', 'folder', 'Folder', 'x')
const id = fc.constantFrom('ada', 'a/b|c=+-', 'a b', 'al:ice', 'a#b', '*', 'ä')
const name = fc.constantFrom('view', 'viewer', 'member', 'zzz', 'No')
const relation = fc.option(name, { nil: undefined })
const question = fc.record({ type, id, relation, permission: name, other: type })

const draftOf = (part: Pick<LookupDraft, 'object' | 'permission' | 'type'>): LookupDraft => ({
  ...part,
  with: undefined,
  since: undefined,
  context: '',
})
const listFaults = (faults: LookupErrors) => Object.values(faults).filter((fault) => fault !== undefined)
function findRefusal(lookup: () => unknown): string | undefined {
  try {
    lookup()
  } catch (error) {
    if (error instanceof PermissionError) return error.message
    throw error
  }
  return undefined
}

describe('faults of a lookup', () => {
  test("equal the service's errors: resources", () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const subject = { type, id, ...(relation && { relation }) }
        const faults = listFaults(
          findResourceLookupErrors(schema, draftOf({ object: subject, permission, type: other })),
        )
        const request = { resourceType: other, permission, subject, limit: 10 }
        const refusal = findRefusal(() => lookupResources(compiled, graph, request, { now: 0 }))
        expect(faults.length > 0).toBe(refusal !== undefined)
        if (refusal) expect(faults).toContain(refusal)
      }),
    )
  })

  test("contain the service's error: subjects", () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const resource = { type, id }
        const kind = relation ? `${other}#${relation}` : other
        const faults = listFaults(
          findSubjectLookupErrors(schema, draftOf({ object: resource, permission, type: kind })),
        )
        const request = {
          ...{ resource, permission, subjectType: other, limit: 10, wildcards: 'include' as const },
          ...(relation && { subjectRelation: relation }),
        }
        const refusal = findRefusal(() => lookupSubjects(compiled, graph, request, { now: 0 }))
        if (refusal) expect(faults).toContain(refusal)
        else expect(faults.filter((fault) => !fault.startsWith('The schema does not allow'))).toEqual([])
      }),
    )
  })
})
