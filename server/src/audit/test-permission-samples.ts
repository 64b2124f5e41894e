import * as api from '@passport/contract/permissions'
import type { TestService } from '../test-service.ts'
import type { Sample } from './test-samples.ts'

const schema = 'definition user {}\n\ndefinition letter {\n\trelation reader: user\n\tpermission read = reader\n}'

/** Creates a type of letters, and one relationship with a unique resource. */
async function createLetter(service: TestService) {
  const ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
  const resource = { type: 'letter', id: crypto.randomUUID() }
  const relationship = { resource, relation: 'reader', subject: { type: 'user', id: 'eve' } }
  const question = { resource, permission: 'read', subject: relationship.subject }
  const touch = { operation: 'touch' as const, relationship }
  return { ada, relationship, question, touch, filter: { resourceType: 'letter', resourceId: resource.id } }
}

export const permissionSamples: Record<string, Sample> = {
  putPermissionSchema: {
    request: async (service) => {
      await createLetter(service)
      return { body: { text: `${schema}\n\ndefinition other {}` } }
    },
    events: [['permissions.schema-changed', 'both']],
  },
  writeRelationships: {
    request: async (service) => ({ body: { updates: [(await createLetter(service)).touch] } }),
    events: [['permissions.relationships-changed', 'both']],
  },
  deleteRelationships: {
    request: async (service) => {
      const { ada, touch, filter } = await createLetter(service)
      await ada.call(api.writeRelationships, { body: { updates: [touch] } })
      return { body: { filter } }
    },
    events: [['permissions.relationships-changed', 'both']],
  },
  deleteListedRelationships: {
    request: async (service) => {
      const { ada, touch, relationship } = await createLetter(service)
      await ada.call(api.writeRelationships, { body: { updates: [touch] } })
      return { body: { relationships: [relationship] } }
    },
    events: [['permissions.relationships-changed', 'both']],
  },
  importPermissions: {
    request: async (service) => {
      await createLetter(service)
      return { query: {}, body: 'relationships: letter:imported#reader@user:eve' }
    },
    events: [['permissions.imported', 'both']],
  },
  createAssertion: {
    request: async (service) => ({ body: { kind: 'assertFalse', question: (await createLetter(service)).question } }),
    events: [['permissions.assertion-saved', 'after']],
  },
  deleteAssertion: {
    request: async (service) => {
      const { ada, question } = await createLetter(service)
      const { id } = await ada.call(api.createAssertion, { body: { kind: 'assertFalse', question } })
      return { params: { assertionId: id } }
    },
    events: [['permissions.assertion-deleted', 'before']],
  },
}
