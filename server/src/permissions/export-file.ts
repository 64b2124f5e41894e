import type { SentFile } from '@passport/contract/endpoint'
import type { PermissionEngine, Relationship } from '@passport/permissions'
import type { FileAssertion, FileValidation } from '@passport/permissions/validation-file'
import type { Sql } from '../database/sql.ts'
import * as assertions from './assertion-store.ts'
import { isDirectoryType } from './directory-types.ts'

const batchSize = 1000

/** Exports all relationships and assertions of applications as a validation file, without those of the directory. */
export async function exportFile(engine: PermissionEngine, sql: Sql): Promise<SentFile> {
  const { text } = await engine.readSchema()
  const saved = (await assertions.list(sql)).map(({ assertion }) => assertion)
  const checks = saved.filter((assertion) => assertion.kind !== 'validation') satisfies FileAssertion[]
  const validations = saved.filter((assertion) => assertion.kind === 'validation') satisfies FileValidation[]
  const { printValidationFile } = await import('@passport/permissions/validation-file')
  return {
    type: 'application/yaml',
    name: `permissions-${new Date().toISOString().slice(0, 10)}.yaml`,
    parts: printValidationFile(text, exportRelationships(engine), checks, validations),
  }
}

async function* exportRelationships(engine: PermissionEngine): AsyncGenerator<Relationship[]> {
  const { definitions } = await engine.reflectSchema()
  for (const { name: resourceType } of definitions) {
    if (isDirectoryType(resourceType)) continue
    let cursor: string | undefined
    do {
      const page = await engine.readRelationships({ resourceType }, { limit: batchSize, ...(cursor && { cursor }) })
      if (page.items.length > 0) yield page.items
      cursor = page.cursor
    } while (cursor !== undefined)
  }
}
