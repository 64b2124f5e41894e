import * as api from '@passport/contract/permissions'
import { type BulkCheckItem, type PermissionEngine, unknownType, type WhatIfEngine } from '@passport/permissions'
import type { Services } from '../feature.ts'
import { findMisses } from './closest-miss.ts'
import { findDirectoryNames, readAllNames } from './directory-names.ts'
import { type ServeTool, toItemProblem } from './error-problem.ts'
import * as problems from './problems.ts'
import { parseWhatIf, toWireRelationship, toWireTrace, toWireTree, toWireVerdict } from './to-wire.ts'

/** Serves checks, lookups and expansions, each also on hypothetical changes, and what the console needs for them. */
export function serveChecks(serveTool: ServeTool, { permissions: engine, sql }: Services): void {
  // A request has a schema only in its `whatIf`.
  const fields = { schema: 'whatIf.schema', requests: 'items' }
  const serve: ServeTool = (endpoint, handle) => serveTool(endpoint, handle, fields)
  const engineFor = (whatIf: Parameters<typeof parseWhatIf>[0] | undefined): PermissionEngine | WhatIfEngine => {
    if (!whatIf) return engine
    if (engine.whatIf) return engine.whatIf(parseWhatIf(whatIf))
    throw problems.whatIfNotSupported()
  }

  serve(api.checkPermission, async ({ body: { consistency, withTrace = false, whatIf, ...request } }) => {
    const { trace, missing, ...rest } = await engineFor(whatIf).check(request, { consistency, withTrace })
    return { ...rest, partialCaveatMissing: missing, ...(trace && { debugTrace: toWireTrace(trace) }) }
  })

  serve(api.checkPermissionsInBulk, async ({ body: { items, consistency, whatIf } }) => {
    const { results, ...rest } = await engineFor(whatIf).checkBulk(items, { consistency })
    return { items: results.map(toWireItem), ...rest }
  })

  serve(api.lookUpResources, async ({ body: { consistency, whatIf, ...request } }) => {
    const page = await engineFor(whatIf).lookupResources(request, { consistency })
    return { ...page, items: page.items.map(toWireFound), cursor: page.cursor ?? null }
  })

  serve(api.lookUpSubjects, async ({ body: { consistency, whatIf, ...request } }) => {
    const page = await engineFor(whatIf).lookupSubjects(request, { consistency })
    const { subjectRelation: relation } = request
    const items = page.items.map(({ excluded, ...subject }) => ({
      ...toWireFound(subject),
      ...(relation && { relation }),
      excluded: excluded.map(toWireFound),
    }))
    return { ...page, items, cursor: page.cursor ?? null }
  })

  serve(api.expandPermission, async ({ body: { consistency, whatIf, ...request } }) => {
    const { tree, ...rest } = await engineFor(whatIf).expand(request, { consistency })
    return { tree: toWireTree(tree), ...rest }
  })

  serve(api.listPermissionsOfSubject, async ({ body: { consistency, whatIf, ...request } }) => {
    const evaluator = engineFor(whatIf)
    const names = await listPermissionsAndRelations(evaluator, request.resource.type)
    const requests = names.map(({ name }) => ({ ...request, permission: name }))
    const { results, ...rest } = await evaluator.checkBulk(requests, { consistency })
    const none = { permissionship: 'noPermission' as const, partialCaveatMissing: [] }
    return { items: names.map((name, index) => ({ ...name, ...none, ...toWireItem(results[index], index) })), ...rest }
  })

  serve(api.findClosestMiss, async ({ body: { whatIf, ...request } }) => {
    const evaluator = engineFor(whatIf)
    if (!evaluator.whatIf) throw problems.notSupported()
    const { result, misses } = await findMisses(evaluator, request)
    const items = misses.map(({ change, relationship, verdict }) => ({
      change,
      relationship: toWireRelationship(relationship),
      ...toWireVerdict(verdict),
    }))
    return { ...toWireVerdict(result), items, checkedAt: result.checkedAt }
  })

  serve(api.completeObjectIds, async ({ query: { type, prefix, limit } }) => {
    if (!engine.completeIds) throw problems.notSupported()
    await requireDefinition(engine, type, 'type')
    const ids = await engine.completeIds(type, prefix, limit)
    const names = await findDirectoryNames(sql, type, ids)
    return { items: ids.map((id) => ({ id, name: names.get(id) ?? null })) }
  })

  serve(api.nameObjects, async ({ body: { objects } }) => ({ items: await readAllNames(sql, objects) }))

  serve(api.getPermissionStatus, async () => ({
    ...(await engine.status()),
    engine: { kind: engine.kind, version: engine.version },
    can: {
      suppose: engine.whatIf !== undefined,
      history: engine.history !== undefined,
      completion: engine.completeIds !== undefined,
      importAtOnce: engine.load !== undefined,
    },
  }))
}

function toWireItem(result: BulkCheckItem | undefined, index: number) {
  if (!result) throw new Error('The engine returned no result')
  return 'error' in result ? { error: toItemProblem(result.error, `requests.${index}.`) } : toWireVerdict(result)
}

const toWireFound = <P extends 'hasPermission' | 'conditional'>({
  id,
  ...verdict
}: {
  id: string
  permissionship: P
  missing: string[]
}) => ({ id, ...toWireVerdict(verdict) })

/** Returns the permissions of a type, then its relations, each in the order of the schema. Throws `unknown-type`. */
async function listPermissionsAndRelations(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string) {
  const definition = await requireDefinition(engine, type, 'resource.type')
  return [
    ...definition.permissions.map(({ name }) => ({ name, kind: 'permission' as const })),
    ...definition.relations.map(({ name }) => ({ name, kind: 'relation' as const })),
  ]
}

/** Returns the definition of a type. Throws `unknown-type` at `field`. */
async function requireDefinition(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string, field: string) {
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === type)
  if (!definition) throw unknownType(type, field)
  return definition
}
