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

const toDraft = (part: Pick<LookupDraft, 'object' | 'permission' | 'type'>): LookupDraft => ({
  ...part,
  with: undefined,
  since: undefined,
  context: '',
})
const listErrors = (errors: LookupErrors) => Object.values(errors).filter((error) => error !== undefined)
function findServiceError(lookup: () => unknown): string | undefined {
  try {
    lookup()
  } catch (error) {
    if (error instanceof PermissionError) return error.message
    throw error
  }
  return undefined
}

describe('the errors of a lookup', () => {
  test("are the service's errors for a lookup of resources", () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const subject = { type, id, ...(relation && { relation }) }
        const errors = listErrors(
          findResourceLookupErrors(schema, toDraft({ object: subject, permission, type: other })),
        )
        const request = { resourceType: other, permission, subject, limit: 10 }
        const serviceError = findServiceError(() => lookupResources(compiled, graph, request, { now: 0 }))
        expect(errors.length > 0).toBe(serviceError !== undefined)
        if (serviceError) expect(errors).toContain(serviceError)
      }),
    )
  })

  test("contain the service's error for a lookup of subjects", () => {
    fc.assert(
      fc.property(question, ({ type, id, relation, permission, other }) => {
        const resource = { type, id }
        const kind = relation ? `${other}#${relation}` : other
        const errors = listErrors(
          findSubjectLookupErrors(schema, toDraft({ object: resource, permission, type: kind })),
        )
        const request = {
          ...{ resource, permission, subjectType: other, limit: 10, wildcards: 'include' as const },
          ...(relation && { subjectRelation: relation }),
        }
        const serviceError = findServiceError(() => lookupSubjects(compiled, graph, request, { now: 0 }))
        if (serviceError) expect(errors).toContain(serviceError)
        else expect(errors.filter((error) => !error.startsWith('The schema does not allow'))).toEqual([])
      }),
    )
  })
})
