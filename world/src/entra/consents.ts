import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Consents, GraphPermission } from './cloud.ts'

/** Creates the consents of a cloud. They outlast a restart in a file, if one is passed. */
export function createConsents(file?: string): Consents {
  if (!file) return new Map()
  const consents = new Map<string, GraphPermission[]>(
    existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : [],
  )
  const save = () => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(Object.fromEntries(consents), null, 2))
  }
  return {
    get: (tenantId) => consents.get(tenantId),
    set: (tenantId, permissions) => {
      consents.set(tenantId, permissions)
      save()
      return consents
    },
    delete: (tenantId) => {
      const existed = consents.delete(tenantId)
      save()
      return existed
    },
  }
}
