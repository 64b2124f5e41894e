import { check } from '@passport/permissions/check'
import type { BulkAnswer, CheckQuestion, Consistency, PermissionEngine, Token } from '@passport/permissions/engine'
import { expand } from '@passport/permissions/expand'
import { PermissionFault } from '@passport/permissions/fault'
import type { Graph } from '@passport/permissions/graph'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import type { Schema } from '@passport/permissions/schema'
import * as z from 'zod/mini'
import { type AskGraph, ofGraph } from './consistency.ts'
import { cursorOf, placeOf } from './cursor.ts'
import type { Snapshot } from './sql-graph.ts'
import { tokenOf } from './token.ts'

export type Questions = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'>

const Place = z.object({ token: z.string(), cursor: z.string() })
const maxAtOnce = 1000

/** Answers questions, the same way from either graph. */
export function questionCalls({ ask }: { ask: AskGraph }): Questions {
  return {
    check: (question, { consistency, withTrace = false } = {}) =>
      ask(
        consistency,
        ofGraph(
          ({ forCheck }) => forCheck(question),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, question, {
              now: Date.now(),
              withTrace,
              withResidual: true,
            })
            return { ...verdict, checkedAt: tokenOf(epoch, rev) }
          },
        ),
      ),
    checkBulk: async (questions, { consistency } = {}) => {
      if (questions.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} at once.`, 'items')
      return ask(consistency, {
        ofMemory: ({ schema, graph, epoch, rev }) => ({
          answers: questions.map((question) => answerOf(schema, graph, question)),
          checkedAt: tokenOf(epoch, rev),
        }),
        ofSnapshot: async ({ schema, epoch, rev, forCheck }) => {
          const answers: BulkAnswer[] = []
          for (const question of questions) {
            const graph = await forCheck(question).catch(faultOf)
            answers.push('fault' in graph ? graph : answerOf(schema, graph, question))
          }
          return { answers, checkedAt: tokenOf(epoch, rev) }
        },
      })
    },
    lookupResources: (question, { consistency } = {}) =>
      lookUp(ask, consistency, question, lookupResources, ({ forResources }) => forResources(question)),
    lookupSubjects: (question, { consistency } = {}) =>
      lookUp(ask, consistency, question, lookupSubjects, ({ forSubjects }) => forSubjects(question)),
    expand: (question, { consistency } = {}) =>
      ask(
        consistency,
        ofGraph(
          ({ forExpansion }) => forExpansion(question),
          ({ schema, epoch, rev }, graph) => ({
            tree: expand(schema, graph, question, { now: Date.now() }),
            expandedAt: tokenOf(epoch, rev),
          }),
        ),
      ),
  }
}

function answerOf(schema: Schema, graph: Graph, question: CheckQuestion): BulkAnswer {
  try {
    const { permissionship, missing } = check(schema, graph, question, { now: Date.now() })
    return { permissionship, missing }
  } catch (error) {
    return faultOf(error)
  }
}

function faultOf(error: unknown): Extract<BulkAnswer, { fault: object }> {
  if (!(error instanceof PermissionFault)) throw error
  const { code, message, field } = error
  return { fault: { code, message, ...(field !== undefined && { field }) } }
}

type LookUp<Asked, Page> = (schema: Schema, graph: Graph, question: Asked, options: { now: number }) => Page

/** A page. The next one is never from before it: its cursor tells at which revision this one was found. */
async function lookUp<Asked extends { cursor?: string; limit: number }, Page extends { cursor?: string }>(
  ask: AskGraph,
  consistency: Consistency | undefined,
  question: Asked,
  find: LookUp<Asked, Page>,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (question.limit > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} on a page.`, 'limit')
  const place = placeOf(Place, question)
  const asked = place ? { ...question, cursor: place.cursor } : question
  const since = place && { kind: 'atLeastAsFresh' as const, token: place.token }
  return ask(
    consistency ?? since,
    ofGraph(fetch, ({ schema, epoch, rev }, graph) => {
      const page = find(schema, graph, asked, { now: Date.now() })
      const token = tokenOf(epoch, rev)
      const cursor = page.cursor === undefined ? undefined : cursorOf(question, { token, cursor: page.cursor })
      return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
    }),
  )
}
