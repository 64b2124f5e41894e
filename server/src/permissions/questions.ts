import {
  Budget,
  type BulkAnswer,
  type BulkAnswers,
  type CheckQuestion,
  type Consistency,
  check,
  type EvaluationOptions,
  expand,
  type Graph,
  lookupResources,
  lookupSubjects,
  maxSteps,
  type PermissionEngine,
  PermissionFault,
  type Schema,
  type Token,
} from '@passport/permissions'
import * as z from 'zod/mini'
import { type AtRevision, type EvaluateOnGraph, graphQuestion, type Parts, type Question } from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import type { Snapshot } from './sql-graph.ts'
import { encodeToken } from './token.ts'
import { createYielder } from './yield-if-due.ts'

export type Questions = Pick<PermissionEngine, 'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'>

/** On which graph questions are evaluated, and how; see `Parts`. */
type EvaluationParts = { evaluate: EvaluateOnGraph } & Pick<Parts, 'options'>

const CursorPosition = z.object({ token: z.string(), cursor: z.string() })
const maxAtOnce = 1000

/** Answers questions, the same way from either graph. */
export function questionCalls(parts: EvaluationParts): Questions {
  const { evaluate, options } = parts
  return {
    check: (question, { consistency, withTrace = false } = {}) =>
      evaluate(
        consistency,
        graphQuestion(
          ({ forCheck }) => forCheck(question),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, question, {
              ...options,
              now: Date.now(),
              withTrace,
              withResidual: true,
            })
            return { ...verdict, checkedAt: encodeToken(epoch, rev) }
          },
        ),
      ),
    checkBulk: (questions, { consistency } = {}) => checkBulk(parts, questions, consistency),
    lookupResources: (question, { consistency } = {}) =>
      lookUpPage(parts, consistency, question, lookupResources, ({ forResources }) => forResources(question)),
    lookupSubjects: (question, { consistency } = {}) =>
      lookUpPage(parts, consistency, question, lookupSubjects, ({ forSubjects }) => forSubjects(question)),
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
  { evaluate, options }: EvaluationParts,
  consistency: Consistency | undefined,
  question: PagedQuestion,
  find: LookUp<PagedQuestion, Page>,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (question.limit > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} per page.`, 'limit')
  const position = decodeCursor(CursorPosition, question)
  const pageQuestion = position ? { ...question, cursor: position.cursor } : question
  const pages = graphQuestion(fetch, ({ schema, epoch, rev }, graph) => {
    const page = find(schema, graph, pageQuestion, { now: Date.now(), ...options })
    const token = encodeToken(epoch, rev)
    const cursor = page.cursor === undefined ? undefined : encodeCursor(question, { token, cursor: page.cursor })
    return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
  })
  return evaluatePage(position?.token, consistency, (pageConsistency) => evaluate(pageConsistency, pages))
}

/** Under constant writes, a bulk check finally runs without yielding. */
const attemptsWithYields = 3

/** Answers many questions. Without attempts that yield, they share the budget of one question. */
export async function checkBulk(
  { evaluate, options }: EvaluationParts,
  questions: CheckQuestion[],
  consistency: Consistency | undefined,
  attempts = attemptsWithYields,
): Promise<BulkAnswers> {
  if (questions.length > maxAtOnce) throw new PermissionFault('too-many', `At most ${maxAtOnce} per request.`, 'items')
  for (let attempt = 0; attempt <= attempts; attempt++) {
    const withYields = attempt < attempts
    const answers = await evaluate(consistency, bulkQuestion(questions, { withYields, ...options }))
    if (answers) return answers
  }
  throw new Error('The graph changed within one turn of the event loop')
}

/** The step budget for all questions of a call that yields in between. */
const stepsWithYields = 5 * maxSteps

/**
 * Checks many questions at one revision. With `withYields` it yields to the event loop between them; if the in-memory
 * graph changes in between, the result is undefined and the caller must retry. Without, they share the budget of one.
 */
export function bulkQuestion(
  questions: CheckQuestion[],
  { withYields, ...options }: { withYields: boolean } & Parts['options'],
): Question<BulkAnswers | undefined | Promise<BulkAnswers | undefined>, Graph> {
  const evaluation = { ...options, now: Date.now() }
  return {
    evaluateInMemory: (state) => checkAll(state, questions, () => state.graph, withYields, evaluation),
    evaluateInSnapshot: (snapshot) => checkAll(snapshot, questions, snapshot.forCheck, true, evaluation),
  }
}

async function checkAll(
  state: AtRevision,
  questions: CheckQuestion[],
  fetch: (question: CheckQuestion) => Graph | Promise<Graph>,
  withYields: boolean,
  evaluation: EvaluationOptions,
): Promise<BulkAnswers | undefined> {
  const { schema, epoch, rev } = state
  const yieldIfDue = createYielder()
  const answers: BulkAnswer[] = []
  let stepsLeft = withYields ? stepsWithYields : maxSteps
  for (const question of questions) {
    // The state in memory is changed in place, together with its revision.
    if (withYields && (await yieldIfDue()) && state.rev !== rev) return undefined
    const budget = new Budget(Math.min(maxSteps, stepsLeft))
    stepsLeft -= budget.left
    try {
      const fetched = fetch(question)
      // A graph in memory is checked at once: it may change at any `await`.
      const graph = fetched instanceof Promise ? await fetched : fetched
      const { permissionship, missing } = check(schema, graph, question, { ...evaluation, budget })
      answers.push({ permissionship, missing })
    } catch (error) {
      if (!(error instanceof PermissionFault)) throw error
      const { code, message, field } = error
      answers.push({ fault: { code, message, ...(field !== undefined && { field }) } })
    }
    stepsLeft += budget.left
  }
  return { answers, checkedAt: encodeToken(epoch, rev) }
}
