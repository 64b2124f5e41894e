import * as api from '@passport/contract/permissions'
import { type BulkAnswer, type PermissionEngine, unknownType, type WhatIfEngine } from '@passport/permissions'
import type { Routes, Services } from '../feature.ts'
import { Problem } from '../http/problem.ts'
import { findMisses } from './closest-miss.ts'
import { findDirectoryNames, readAllNames } from './directory-names.ts'
import { notSupported, toItemProblem, withProblems } from './fault-problem.ts'
import {
  consistencyOption,
  parseWhatIf,
  toWireRelationship,
  toWireTrace,
  toWireTree,
  toWireVerdict,
} from './to-wire.ts'

/** A question has a schema only in its what-if. */
const whatIfFields = { schema: 'whatIf.schema' }

/** Checks, single, in bulk and for all permissions, both lookups, and the tools around them. */
export function serveQuestions({ serve }: Routes, { permissions: engine, sql }: Services): void {
  const engineFor = (whatIf: Parameters<typeof parseWhatIf>[0] | undefined): PermissionEngine | WhatIfEngine => {
    if (!whatIf) return engine
    if (engine.whatIf) return engine.whatIf(parseWhatIf(whatIf))
    throw new Problem(
      501,
      'what-if-not-supported',
      'The permission engine of this installation does not support what-if queries.',
    )
  }

  serve(api.checkPermission, ({ body: { consistency, withTrace = false, whatIf, ...question } }) =>
    withProblems(async () => {
      const answer = await engineFor(whatIf).check(question, { ...consistencyOption(consistency), withTrace })
      const { trace, missing, ...rest } = answer
      return { ...rest, partialCaveatMissing: missing, ...(trace && { debugTrace: toWireTrace(trace) }) }
    }, whatIfFields),
  )

  serve(api.checkPermissionsInBulk, ({ body: { items, consistency, whatIf } }) =>
    withProblems(
      async () => {
        const { answers, ...rest } = await engineFor(whatIf).checkBulk(items, consistencyOption(consistency))
        return { items: answers.map((answer, at) => toWireAnswer(answer, at)), ...rest }
      },
      { ...whatIfFields, questions: 'items' },
    ),
  )

  serve(api.lookUpResources, ({ body: { consistency, whatIf, ...question } }) =>
    withProblems(async () => {
      const page = await engineFor(whatIf).lookupResources(question, consistencyOption(consistency))
      const items = page.items.map(({ id, ...verdict }) => ({ id, ...toWireVerdict(verdict) }))
      return { ...page, items, cursor: page.cursor ?? null }
    }, whatIfFields),
  )

  serve(api.lookUpSubjects, ({ body: { consistency, whatIf, ...question } }) =>
    withProblems(async () => {
      const page = await engineFor(whatIf).lookupSubjects(question, consistencyOption(consistency))
      const { subjectRelation: relation } = question
      const items = page.items.map(({ id, excluded, ...verdict }) => ({
        id,
        ...(relation && { relation }),
        ...toWireVerdict(verdict),
        excluded: excluded.map(({ id, ...verdict }) => ({ id, ...toWireVerdict(verdict) })),
      }))
      return { ...page, items, cursor: page.cursor ?? null }
    }, whatIfFields),
  )

  serve(api.expandPermission, ({ body: { consistency, whatIf, ...question } }) =>
    withProblems(async () => {
      const { tree, ...rest } = await engineFor(whatIf).expand(question, consistencyOption(consistency))
      return { tree: toWireTree(tree), ...rest }
    }, whatIfFields),
  )

  serve(api.listPermissionsOfSubject, ({ body: { consistency, whatIf, ...question } }) =>
    withProblems(async () => {
      const graph = engineFor(whatIf)
      const names = await listMembers(graph, question.resource.type)
      const questions = names.map(({ name }) => ({ ...question, permission: name }))
      const { answers, ...rest } = await graph.checkBulk(questions, consistencyOption(consistency))
      const none = { permissionship: 'noPermission' as const, partialCaveatMissing: [] }
      const items = names.map((name, at) => ({ ...name, ...none, ...toWireAnswer(answers[at], at) }))
      return { items, ...rest }
    }, whatIfFields),
  )

  serve(api.findClosestMiss, ({ body: { whatIf, ...question } }) =>
    withProblems(async () => {
      const graph = engineFor(whatIf)
      if (!graph.whatIf) throw notSupported()
      const { answer, misses } = await findMisses(graph, question)
      const items = misses.map(({ change, relationship, verdict }) => ({
        change,
        relationship: toWireRelationship(relationship),
        ...toWireVerdict(verdict),
      }))
      return { ...toWireVerdict(answer), items, checkedAt: answer.checkedAt }
    }, whatIfFields),
  )

  serve(api.completeObjectIds, ({ query: { type, prefix, limit } }) =>
    withProblems(async () => {
      if (!engine.completeIds) throw notSupported()
      await requireDefinition(engine, type, 'type')
      const ids = await engine.completeIds(type, prefix, limit)
      const names = await findDirectoryNames(sql, type, ids)
      return { items: ids.map((id) => ({ id, name: names.get(id) ?? null })) }
    }),
  )

  serve(api.nameObjects, async ({ body: { objects } }) => ({ items: await readAllNames(sql, objects) }))

  serve(api.getPermissionStatus, () =>
    withProblems(async () => {
      const { revision, lag, counts } = await engine.status()
      return {
        engine: { kind: engine.kind, version: engine.version },
        revision,
        lag,
        counts,
        can: {
          suppose: engine.whatIf !== undefined,
          history: engine.history !== undefined,
          completion: engine.completeIds !== undefined,
          importAtOnce: engine.load !== undefined,
        },
      }
    }),
  )
}

function toWireAnswer(answer: BulkAnswer | undefined, at: number) {
  if (!answer) throw new Error('The engine returned no result')
  return 'fault' in answer ? { error: toItemProblem(answer.fault, `questions.${at}.`) } : toWireVerdict(answer)
}

/** Returns the permissions of a type, then its relations, in schema order. Throws `unknown-type`. */
async function listMembers(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string) {
  const definition = await requireDefinition(engine, type, 'resource.type')
  return [
    ...definition.permissions.map(({ name }) => ({ name, kind: 'permission' as const })),
    ...definition.relations.map(({ name }) => ({ name, kind: 'relation' as const })),
  ]
}

/** Throws `unknown-type` at `field`. */
async function requireDefinition(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string, field: string) {
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === type)
  if (!definition) throw unknownType(type, field)
  return definition
}
