import { check, type EvaluationOptions } from '@passport/permissions/check'
import type { BulkAnswers, CheckQuestion, Consistency, PermissionEngine, Token } from '@passport/permissions/engine'
import { expand } from '@passport/permissions/expand'
import { PermissionFault } from '@passport/permissions/fault'
import type { Graph } from '@passport/permissions/graph'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import type { Schema } from '@passport/permissions/schema'
import * as z from 'zod/mini'
import { bulkOf } from './bulk.ts'
import { type AskGraph, ofGraph } from './consistency.ts'
import { askForPage, cursorOf, placeOf } from './cursor.ts'
import type { Parts } from './parts.ts'
import type { Snapshot } from './sql-graph.ts'
import { tokenOf } from './token.ts'

export type Questions = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'>

/** Who is asked, and what circles are; see `Parts`. */
type AskingParts = { ask: AskGraph } & Pick<Parts, 'cycles'>

const Place = z.object({ token: z.string(), cursor: z.string() })
const maxAtOnce = 1000
/** Where writes come in all the time, many questions are asked in one go in the end. */
const attemptsWithTurns = 3

/** Answers questions, the same way from either graph. */
export function questionCalls({ ask, cycles }: AskingParts): Questions {
  const how = cycles && { cycles }
  return {
    check: (question, { consistency, withTrace = false } = {}) =>
      ask(
        consistency,
        ofGraph(
          ({ forCheck }) => forCheck(question),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, question, {
              ...how,
              now: Date.now(),
              withTrace,
              withResidual: true,
            })
            return { ...verdict, checkedAt: tokenOf(epoch, rev) }
          },
        ),
      ),
    checkBulk: async (questions, { consistency } = {}) => {
      for (let attempt = 0; attempt < attemptsWithTurns; attempt++) {
        const answers = await ask(consistency, bulkOf(fewEnough(questions), { withTurns: true, ...how }))
        if (answers) return answers
      }
      return checkInOneGo({ ask, ...how }, questions, consistency)
    },
    lookupResources: (question, { consistency } = {}) =>
      lookUp({ ask, ...how }, consistency, question, lookupResources, ({ forResources }) => forResources(question)),
    lookupSubjects: (question, { consistency } = {}) =>
      lookUp({ ask, ...how }, consistency, question, lookupSubjects, ({ forSubjects }) => forSubjects(question)),
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

/** Answers many questions while nobody else has their turn, within the work that one may take. */
export async function checkInOneGo(
  { ask, cycles }: AskingParts,
  questions: CheckQuestion[],
  consistency: Consistency | undefined,
): Promise<BulkAnswers> {
  const how = { withTurns: false, ...(cycles && { cycles }) }
  const answers = await ask(consistency, bulkOf(fewEnough(questions), how))
  if (!answers) throw new Error('The graph moved while nobody else had their turn')
  return answers
}

function fewEnough(questions: CheckQuestion[]): CheckQuestion[] {
  if (questions.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} at once.`, 'items')
  return questions
}

type LookUp<Asked, Page> = (
  schema: Schema,
  graph: Graph,
  question: Asked,
  options: Pick<EvaluationOptions, 'now' | 'cycles'>,
) => Page

/**
 * A page. The next one is never from before it: its cursor tells at which revision this one was found. It is found at one
 * moment and in one go: a walk that has begun cannot go on in a graph that has changed. What bounds it is the budget of
 * steps, and each page has one of its own: nothing of the page before is kept.
 */
async function lookUp<Asked extends { cursor?: string; limit: number }, Page extends { cursor?: string }>(
  { ask, cycles }: AskingParts,
  consistency: Consistency | undefined,
  question: Asked,
  find: LookUp<Asked, Page>,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (question.limit > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} on a page.`, 'limit')
  const place = placeOf(Place, question)
  const asked = place ? { ...question, cursor: place.cursor } : question
  const pages = ofGraph(fetch, ({ schema, epoch, rev }, graph) => {
    const page = find(schema, graph, asked, { now: Date.now(), ...(cycles && { cycles }) })
    const token = tokenOf(epoch, rev)
    const cursor = page.cursor === undefined ? undefined : cursorOf(question, { token, cursor: page.cursor })
    return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
  })
  return askForPage(place?.token, consistency, (asked) => ask(asked, pages))
}
