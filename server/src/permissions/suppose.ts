import type { Supposition, WhatIf } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { supposed } from '@passport/permissions/what-if'
import { applicationPart, compileWithDirectory } from './directory.ts'
import type { Parts } from './parts.ts'
import { type Questions, questionCalls } from './questions.ts'
import { notCaughtUp } from './sql-graph.ts'

/**
 * Answers of the graph as it would be, with a graph laid over that in memory. Where not all is in memory yet it throws
 * `not-caught-up`.
 */
export function suppose({ ask }: Pick<Parts, 'ask'>, whatIf: WhatIf): Supposition {
  async function answer<T extends object>(
    call: (questions: Questions) => Promise<T>,
  ): Promise<T & { leftOut: number }> {
    const after = whatIf.schema === undefined ? undefined : await compileWithDirectory(applicationPart(whatIf.schema))
    let leftOut = 0
    const questions = questionCalls({
      ask: (consistency, question) => {
        if (consistency?.kind === 'atExactSnapshot')
          throw new PermissionFault('what-if-past', 'What would be can only be asked of now.', 'consistency.kind')
        return ask(consistency, {
          ofMemory: (moment) => {
            const there = supposed(moment.schema, moment.graph, whatIf, after)
            leftOut = there.leftOut
            return question.ofMemory({ ...moment, ...there })
          },
          ofSnapshot: () => {
            throw notCaughtUp()
          },
        })
      },
    })
    const answered = await call(questions)
    return { ...answered, leftOut }
  }
  // A cursor is bound to all that the question has.
  const bound = <Q extends object>(question: Q) => ({ ...question, whatIf })
  return {
    check: (question, options) => answer(({ check }) => check(question, options)),
    lookupResources: (question, options) => answer(({ lookupResources }) => lookupResources(bound(question), options)),
    lookupSubjects: (question, options) => answer(({ lookupSubjects }) => lookupSubjects(bound(question), options)),
  }
}
