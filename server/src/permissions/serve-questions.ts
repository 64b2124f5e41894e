import * as api from '@passport/contract/permissions'
import type { BulkAnswer, PermissionEngine, Supposition } from '@passport/permissions/engine'
import { unknownType } from '@passport/permissions/relationship-names'
import { Problem } from '../http/problem.ts'
import type { Routes, Services } from '../room.ts'
import { findMisses } from './closest-miss.ts'
import { nameAll, namesInDirectory } from './directory-names.ts'
import { told, toldInPlace } from './fault-problem.ts'
import { asked, heardWhatIf, toldRelationship, toldTrace, toldTree, toldVerdict } from './told.ts'

/** What an engine cannot do is no fault of the question. */
export const notOfThisEngine = () =>
  new Problem(501, 'not-of-this-engine', 'The engine of this installation cannot do that.')

/** A schema is in no question but as a supposition. */
const ofWhatIf = { schema: 'whatIf.schema' }

/** Check, in bulk and for all permissions at once, both lookups, and what helps to ask. */
export function serveQuestions({ serve }: Routes, { permissions: engine, sql }: Services): void {
  const over = (whatIf: Parameters<typeof heardWhatIf>[0] | undefined): PermissionEngine | Supposition => {
    if (!whatIf) return engine
    if (engine.suppose) return engine.suppose(heardWhatIf(whatIf))
    throw new Problem(501, 'what-if-not-supported', 'The engine of this installation answers only of what there is.')
  }

  serve(api.checkPermission, ({ body: { consistency, withTrace = false, whatIf, ...question } }) =>
    told(async () => {
      const answer = await over(whatIf).check(question, { ...asked(consistency), withTrace })
      const { trace, missing, ...rest } = answer
      return { ...rest, partialCaveatMissing: missing, ...(trace && { debugTrace: toldTrace(trace) }) }
    }, ofWhatIf),
  )

  serve(api.checkPermissionsInBulk, ({ body: { items, consistency, whatIf } }) =>
    told(
      async () => {
        const { answers, ...rest } = await over(whatIf).checkBulk(items, asked(consistency))
        return { items: answers.map((answer, at) => toldAnswer(answer, at)), ...rest }
      },
      { ...ofWhatIf, questions: 'items' },
    ),
  )

  serve(api.lookUpResources, ({ body: { consistency, whatIf, ...question } }) =>
    told(async () => {
      const page = await over(whatIf).lookupResources(question, asked(consistency))
      const items = page.items.map(({ id, ...verdict }) => ({ id, ...toldVerdict(verdict) }))
      return { ...page, items, cursor: page.cursor ?? null }
    }, ofWhatIf),
  )

  serve(api.lookUpSubjects, ({ body: { consistency, whatIf, ...question } }) =>
    told(async () => {
      const page = await over(whatIf).lookupSubjects(question, asked(consistency))
      const { subjectRelation: relation } = question
      const items = page.items.map(({ id, excluded, ...verdict }) => ({
        id,
        ...(relation && { relation }),
        ...toldVerdict(verdict),
        excluded: excluded.map(({ id, ...verdict }) => ({ id, ...toldVerdict(verdict) })),
      }))
      return { ...page, items, cursor: page.cursor ?? null }
    }, ofWhatIf),
  )

  serve(api.expandPermission, ({ body: { consistency, whatIf, ...question } }) =>
    told(async () => {
      const { tree, ...rest } = await over(whatIf).expand(question, asked(consistency))
      return { tree: toldTree(tree), ...rest }
    }, ofWhatIf),
  )

  serve(api.listPermissionsOfSubject, ({ body: { consistency, whatIf, ...question } }) =>
    told(async () => {
      const graph = over(whatIf)
      const names = await namesOf(graph, question.resource.type)
      const questions = names.map(({ name }) => ({ ...question, permission: name }))
      const { answers, ...rest } = await graph.checkBulk(questions, asked(consistency))
      const none = { permissionship: 'noPermission' as const, partialCaveatMissing: [] }
      const items = names.map((name, at) => ({ ...name, ...none, ...toldAnswer(answers[at], at) }))
      return { items, ...rest }
    }, ofWhatIf),
  )

  serve(api.findClosestMiss, ({ body: { whatIf, ...question } }) =>
    told(async () => {
      const asked = over(whatIf)
      if (!asked.suppose) throw notOfThisEngine()
      const { answer, misses } = await findMisses(asked, question)
      const items = misses.map(({ change, relationship, verdict }) => ({
        change,
        relationship: toldRelationship(relationship),
        ...toldVerdict(verdict),
      }))
      return { ...toldVerdict(answer), items, checkedAt: answer.checkedAt }
    }, ofWhatIf),
  )

  serve(api.completeObjectIds, ({ query: { type, prefix, limit } }) =>
    told(async () => {
      if (!engine.completeIds) throw notOfThisEngine()
      await definitionOf(engine, type, 'type')
      const ids = await engine.completeIds(type, prefix, limit)
      const names = await namesInDirectory(sql, type, ids)
      return { items: ids.map((id) => ({ id, name: names.get(id) ?? null })) }
    }),
  )

  serve(api.nameObjects, async ({ body: { objects } }) => ({ items: await nameAll(sql, objects) }))

  serve(api.getPermissionStatus, () =>
    told(async () => {
      const { revision, lag, counts } = await engine.status()
      return {
        engine: { kind: engine.kind, version: engine.version },
        revision,
        lag,
        counts,
        can: {
          suppose: engine.suppose !== undefined,
          history: engine.history !== undefined,
          completion: engine.completeIds !== undefined,
          importAtOnce: engine.load !== undefined,
        },
      }
    }),
  )
}

function toldAnswer(answer: BulkAnswer | undefined, at: number) {
  if (!answer) throw new Error('The engine gave no answer')
  return 'fault' in answer ? { error: toldInPlace(answer.fault, `questions.${at}.`) } : toldVerdict(answer)
}

/** The permissions of a type, then its relations, in the order of the schema. Throws `unknown-type`. */
async function namesOf(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string) {
  const definition = await definitionOf(engine, type, 'resource.type')
  return [
    ...definition.permissions.map(({ name }) => ({ name, kind: 'permission' as const })),
    ...definition.relations.map(({ name }) => ({ name, kind: 'relation' as const })),
  ]
}

/** Throws `unknown-type` at `field`. */
async function definitionOf(engine: Pick<PermissionEngine, 'reflectSchema'>, type: string, field: string) {
  const definition = (await engine.reflectSchema()).definitions.find(({ name }) => name === type)
  if (!definition) throw unknownType(type, field)
  return definition
}
