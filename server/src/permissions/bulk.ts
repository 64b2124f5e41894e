import { Budget, maxSteps } from '@passport/permissions/budget'
import { check } from '@passport/permissions/check'
import type { BulkAnswer, BulkAnswers, CheckQuestion } from '@passport/permissions/engine'
import type { Cycles } from '@passport/permissions/evaluator'
import { PermissionFault } from '@passport/permissions/fault'
import type { Graph } from '@passport/permissions/graph'
import type { Schema } from '@passport/permissions/schema'
import type { Asked, Question } from './consistency.ts'
import type { Snapshot } from './sql-graph.ts'
import { tokenOf } from './token.ts'
import { takingTurns } from './turns.ts'

/** What all questions of a call may take together, where others have their turn in between. */
const stepsWithTurns = 5 * maxSteps

/**
 * Many questions, all at one moment. With turns others are let in between them, and what is in memory may have changed
 * when it is this call's turn again: there are no answers then (undefined), and everything is to be asked anew. Without
 * turns all have to be answered in one go, within the work that one question may take.
 */
export function bulkOf(
  questions: CheckQuestion[],
  { withTurns, cycles }: { withTurns: boolean; cycles?: Cycles },
): Question<BulkAnswers | undefined | Promise<BulkAnswers | undefined>, Graph> {
  const now = Date.now()
  const how = cycles && { cycles }
  return {
    ofMemory: async (moment) => {
      const { schema, graph, epoch, rev } = moment
      const answer = answering({ now, ...how }, withTurns ? stepsWithTurns : maxSteps)
      const takeTurns = takingTurns()
      const answers: BulkAnswer[] = []
      for (const question of questions) {
        if (withTurns && (await takeTurns()) && hasMoved(moment, rev)) return undefined
        answers.push(answer(schema, graph, question))
      }
      return { answers, checkedAt: tokenOf(epoch, rev) }
    },
    ofSnapshot: async ({ schema, epoch, rev, forCheck }: Snapshot) => {
      const answer = answering({ now, ...how }, stepsWithTurns)
      const takeTurns = takingTurns()
      const answers: BulkAnswer[] = []
      for (const question of questions) {
        await takeTurns()
        const graph = await forCheck(question).catch(faultOf)
        answers.push('fault' in graph ? graph : answer(schema, graph, question))
      }
      return { answers, checkedAt: tokenOf(epoch, rev) }
    },
  }
}

/** Relationships and schema of a moment are changed in place, at once and together with its revision. */
const hasMoved = (moment: Asked, rev: number) => moment.rev !== rev

/** Answers one after another; no question takes more than is for one, and all no more than so many steps. */
function answering(options: { now: number; cycles?: Cycles }, steps: number) {
  let left = steps
  return (schema: Schema, graph: Graph, question: CheckQuestion): BulkAnswer => {
    const given = Math.min(maxSteps, left)
    const budget = new Budget(given)
    try {
      const { permissionship, missing } = check(schema, graph, question, { ...options, budget })
      return { permissionship, missing }
    } catch (error) {
      return faultOf(error)
    } finally {
      left -= given - budget.left
    }
  }
}

function faultOf(error: unknown): Extract<BulkAnswer, { fault: object }> {
  if (!(error instanceof PermissionFault)) throw error
  const { code, message, field } = error
  return { fault: { code, message, ...(field !== undefined && { field }) } }
}
