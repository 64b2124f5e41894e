import {
  type BulkAnswers,
  type CheckQuestion,
  type Consistency,
  check,
  type EvaluationOptions,
  expand,
  type Graph,
  lookupResources,
  lookupSubjects,
  type PermissionEngine,
  PermissionFault,
  type Schema,
  type Token,
} from '@passport/permissions'
import * as z from 'zod/mini'
import { bulkQuestion } from './bulk.ts'
import { type EvaluateOnGraph, graphQuestion } from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import type { Parts } from './parts.ts'
import type { Snapshot } from './sql-graph.ts'
import { encodeToken } from './token.ts'

export type Questions = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'>

/** How to ask, and how cycles are evaluated; see `Parts`. */
type EvaluationParts = { evaluate: EvaluateOnGraph } & Pick<Parts, 'cycles'>

const CursorPosition = z.object({ token: z.string(), cursor: z.string() })
const maxAtOnce = 1000
/** Under constant writes, a bulk check finally runs without yielding. */
const attemptsWithYields = 3

/** Answers questions, the same way from either graph. */
export function questionCalls({ evaluate, cycles }: EvaluationParts): Questions {
  const cycleOptions = cycles && { cycles }
  return {
    check: (question, { consistency, withTrace = false } = {}) =>
      evaluate(
        consistency,
        graphQuestion(
          ({ forCheck }) => forCheck(question),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, question, {
              ...cycleOptions,
              now: Date.now(),
              withTrace,
              withResidual: true,
            })
            return { ...verdict, checkedAt: encodeToken(epoch, rev) }
          },
        ),
      ),
    checkBulk: async (questions, { consistency } = {}) => {
      for (let attempt = 0; attempt < attemptsWithYields; attempt++) {
        const answers = await evaluate(
          consistency,
          bulkQuestion(requireBatchSize(questions), { withYields: true, ...cycleOptions }),
        )
        if (answers) return answers
      }
      return checkWithoutYielding({ evaluate, ...cycleOptions }, questions, consistency)
    },
    lookupResources: (question, { consistency } = {}) =>
      lookUpPage({ evaluate, ...cycleOptions }, consistency, question, lookupResources, ({ forResources }) =>
        forResources(question),
      ),
    lookupSubjects: (question, { consistency } = {}) =>
      lookUpPage({ evaluate, ...cycleOptions }, consistency, question, lookupSubjects, ({ forSubjects }) =>
        forSubjects(question),
      ),
    expand: (question, { consistency } = {}) =>
      evaluate(
        consistency,
        graphQuestion(
          ({ forExpansion }) => forExpansion(question),
          ({ schema, epoch, rev }, graph) => ({
            tree: expand(schema, graph, question, { now: Date.now() }),
            expandedAt: encodeToken(epoch, rev),
          }),
        ),
      ),
  }
}

/** Answers many questions without yielding, within the budget of one. */
export async function checkWithoutYielding(
  { evaluate, cycles }: EvaluationParts,
  questions: CheckQuestion[],
  consistency: Consistency | undefined,
): Promise<BulkAnswers> {
  const options = { withYields: false, ...(cycles && { cycles }) }
  const answers = await evaluate(consistency, bulkQuestion(requireBatchSize(questions), options))
  if (!answers) throw new Error('The graph changed within one turn of the event loop')
  return answers
}

function requireBatchSize(questions: CheckQuestion[]): CheckQuestion[] {
  if (questions.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} per request.`, 'items')
  return questions
}

type LookUp<LookupQuestion, Page> = (
  schema: Schema,
  graph: Graph,
  question: LookupQuestion,
  options: Pick<EvaluationOptions, 'now' | 'cycles'>,
) => Page

/**
 * Returns a page. The next page is never older: its cursor has the revision of this one. A page is found at one
 * revision without yielding, because a walk cannot continue in a changed graph. The step budget bounds it; each page
 * has its own, and no state of the previous page is kept.
 */
async function lookUpPage<PagedQuestion extends { cursor?: string; limit: number }, Page extends { cursor?: string }>(
  { evaluate, cycles }: EvaluationParts,
  consistency: Consistency | undefined,
  question: PagedQuestion,
  find: LookUp<PagedQuestion, Page>,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (question.limit > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} per page.`, 'limit')
  const position = decodeCursor(CursorPosition, question)
  const pageQuestion = position ? { ...question, cursor: position.cursor } : question
  const pages = graphQuestion(fetch, ({ schema, epoch, rev }, graph) => {
    const page = find(schema, graph, pageQuestion, { now: Date.now(), ...(cycles && { cycles }) })
    const token = encodeToken(epoch, rev)
    const cursor = page.cursor === undefined ? undefined : encodeCursor(question, { token, cursor: page.cursor })
    return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
  })
  return evaluatePage(position?.token, consistency, (pageConsistency) => evaluate(pageConsistency, pages))
}
