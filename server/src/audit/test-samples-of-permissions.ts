import * as api from '@passport/contract/permissions'
import type { TestService } from '../test-service.ts'
import type { Sample } from './test-samples.ts'

const schema = 'definition user {}\n\ndefinition letter {\n\trelation reader: user\n\tpermission read = reader\n}'

/** A type of letters, and one relationship of it that nobody else has. */
async function someLetter(service: TestService) {
  const ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
  const resource = { type: 'letter', id: crypto.randomUUID() }
  const relationship = { resource, relation: 'reader', subject: { type: 'user', id: 'eve' } }
  const question = { resource, permission: 'read', subject: relationship.subject }
  const touch = { operation: 'touch' as const, relationship }
  return { ada, relationship, question, touch, filter: { resourceType: 'letter', resourceId: resource.id } }
}

export const samplesOfPermissions: Record<string, Sample> = {
  putPermissionSchema: {
    sends: async (service) => {
      await someLetter(service)
      return { body: { text: `${schema}\n\ndefinition other {}` } }
    },
    leaves: [['permissions.schema-changed', 'both']],
  },
  writeRelationships: {
    sends: async (service) => ({ body: { updates: [(await someLetter(service)).touch] } }),
    leaves: [['permissions.relationships-changed', 'both']],
  },
  deleteRelationships: {
    sends: async (service) => {
      const { ada, touch, filter } = await someLetter(service)
      await ada.call(api.writeRelationships, { body: { updates: [touch] } })
      return { body: { filter } }
    },
    leaves: [['permissions.relationships-changed', 'both']],
  },
  deleteListedRelationships: {
    sends: async (service) => {
      const { ada, touch, relationship } = await someLetter(service)
      await ada.call(api.writeRelationships, { body: { updates: [touch] } })
      return { body: { relationships: [relationship] } }
    },
    leaves: [['permissions.relationships-changed', 'both']],
  },
  importPermissions: {
    sends: async (service) => {
      await someLetter(service)
      return { query: {}, body: 'relationships: letter:imported#reader@user:eve' }
    },
    leaves: [['permissions.imported', 'both']],
  },
  createAssertion: {
    sends: async (service) => ({ body: { kind: 'assertFalse', question: (await someLetter(service)).question } }),
    leaves: [['permissions.assertion-saved', 'after']],
  },
  deleteAssertion: {
    sends: async (service) => {
      const { ada, question } = await someLetter(service)
      const { id } = await ada.call(api.createAssertion, { body: { kind: 'assertFalse', question } })
      return { params: { assertionId: id } }
    },
    leaves: [['permissions.assertion-deleted', 'before']],
  },
}
