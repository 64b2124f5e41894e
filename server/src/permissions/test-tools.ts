import * as api from '@passport/contract/permissions'
import { startTestService, type Visitor } from '../test-service.ts'

export const schema = `definition user {}

caveat only_friday(day string) {
  day == "fri"
}

definition group {
  relation member: user | group#member
}

definition folder {
  relation viewer: user | group#member
  permission view = viewer
}

definition document {
  relation parent: folder
  relation viewer: user | user:* | group#member | user with only_friday
  relation banned: user
  permission view = viewer + parent->view - banned
}`

const parseReference = (text: string) => {
  const [type = '', id = '', relation] = text.split(/[:#]/)
  return { type, id, ...(relation && { relation }) }
}

/** Parses a relationship as sent over HTTP, valid or not. */
export const parseWireRelationship = (line: string) => {
  const [resourceText = '', subject = ''] = line.split('@')
  const [resource = '', relation = ''] = resourceText.split('#')
  return { resource: parseReference(resource), relation, subject: parseReference(subject) }
}

/** Creates a request body that touches relationships. */
export const touch = (...lines: string[]) => ({
  updates: lines.map((line) => ({ operation: 'touch' as const, relationship: parseWireRelationship(line) })),
})

/** Starts a service with a schema, relationships and an administrator. */
export async function startTools() {
  const service = await startTestService()
  const ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
  await ada.call(api.writeRelationships, {
    body: touch(
      'document:plan#viewer@group:crew#member',
      'document:plan#parent@folder:all',
      'document:plan#banned@user:mallory',
      'folder:all#viewer@user:frida',
      'group:crew#member@user:ada',
      'group:crew#member@user:mallory',
    ),
  })
  return { service, ada }
}

/** Sends a request that the typed client would not send, and returns its problem with the field of the first error. */
export async function fetchProblem(visitor: Visitor, path: string, body: unknown, method = 'POST') {
  const headers = { 'content-type': 'application/json' }
  const response = await visitor.fetch(path, {
    method,
    headers,
    ...(method !== 'GET' && { body: JSON.stringify(body) }),
  })
  const { status, code, errors } = (await response.json()) as Record<string, unknown>
  return { status, code, field: (errors as { field: string }[] | undefined)?.[0]?.field }
}
