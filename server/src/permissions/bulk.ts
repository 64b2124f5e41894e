import {
  Budget,
  type BulkAnswer,
  type BulkAnswers,
  type CheckQuestion,
  type Cycles,
  check,
  type Graph,
  maxSteps,
  PermissionFault,
  type Schema,
} from '@passport/permissions'
import type { AtRevision, Question } from './consistency.ts'
import type { Snapshot } from './sql-graph.ts'
import { encodeToken } from './token.ts'
import { createYielder } from './yield-if-due.ts'

/** The step budget for all questions of a call that yields in between. */
const stepsWithYields = 5 * maxSteps

/**
 * Checks many questions at one revision. With `withYields` it yields to the event loop between them. If the in-memory graph changes in between,
 * the result is undefined and the caller must retry. Otherwise all questions share the budget of one question.
 */
export function bulkQuestion(
  questions: CheckQuestion[],
  { withYields, cycles }: { withYields: boolean; cycles?: Cycles },
): Question<BulkAnswers | undefined | Promise<BulkAnswers | undefined>, Graph> {
  const now = Date.now()
  const cycleOptions = cycles && { cycles }
  return {
    evaluateInMemory: async (state) => {
      const { schema, graph, epoch, rev } = state
      const checkOne = createChecker({ now, ...cycleOptions }, withYields ? stepsWithYields : maxSteps)
      const yieldIfDue = createYielder()
      const answers: BulkAnswer[] = []
      for (const question of questions) {
        if (withYields && (await yieldIfDue()) && hasChanged(state, rev)) return undefined
        answers.push(checkOne(schema, graph, question))
      }
      return { answers, checkedAt: encodeToken(epoch, rev) }
    },
    evaluateInSnapshot: async ({ schema, epoch, rev, forCheck }: Snapshot) => {
      const checkOne = createChecker({ now, ...cycleOptions }, stepsWithYields)
      const yieldIfDue = createYielder()
      const answers: BulkAnswer[] = []
      for (const question of questions) {
        await yieldIfDue()
        const graph = await forCheck(question).catch(toFault)
        answers.push('fault' in graph ? graph : checkOne(schema, graph, question))
      }
      return { answers, checkedAt: encodeToken(epoch, rev) }
    },
  }
}

/** The relationships and schema of a moment are changed in place, together with its revision. */
const hasChanged = (state: AtRevision, rev: number) => state.rev !== rev

/**
 * Returns a function that checks one question after another. Each has the budget of one question, all together at most
 * `steps`.
 */
function createChecker(options: { now: number; cycles?: Cycles }, steps: number) {
  let left = steps
  return (schema: Schema, graph: Graph, question: CheckQuestion): BulkAnswer => {
    const allotted = Math.min(maxSteps, left)
    const budget = new Budget(allotted)
    try {
      const { permissionship, missing } = check(schema, graph, question, { ...options, budget })
      return { permissionship, missing }
    } catch (error) {
      return toFault(error)
    } finally {
      left -= allotted - budget.left
    }
  }
}

function toFault(error: unknown): Extract<BulkAnswer, { fault: object }> {
  if (!(error instanceof PermissionFault)) throw error
  const { code, message, field } = error
  return { fault: { code, message, ...(field !== undefined && { field }) } }
}
