import type { Supposition, WhatIf } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import { reflectSchema } from '@passport/permissions/reflect'
import type { Schema } from '@passport/permissions/schema'
import { supposed } from '@passport/permissions/what-if'
import type { AskGraph } from './consistency.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import type { Parts } from './parts.ts'
import { checkInOneGo, type Questions, questionCalls } from './questions.ts'
import { notCaughtUp, type Snapshot } from './sql-graph.ts'

/**
 * Answers of the graph as it would be, with a graph laid over that in memory. Where not all is in memory yet it throws
 * `not-caught-up`.
 */
export function suppose({ ask }: Pick<Parts, 'ask'>, whatIf: WhatIf): Supposition {
  let compiled: Promise<Schema | undefined> | undefined
  const schemaAfter = () => (compiled ??= schemaOf(whatIf))
  async function over<T extends object>(call: (ask: AskGraph) => Promise<T>): Promise<T & { leftOut: number }> {
    const after = await schemaAfter()
    let leftOut = 0
    const answered = await call((consistency, question) => {
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
    })
    return { ...answered, leftOut }
  }
  const answer = <T extends object>(call: (questions: Questions) => Promise<T>) =>
    over((ask) => call(questionCalls({ ask })))
  // A cursor is bound to all that the question has.
  const bound = <Q extends object>(question: Q) => ({ ...question, whatIf })
  return {
    check: (question, options) => answer(({ check }) => check(question, options)),
    // A graph that is laid over another does not see that one move: nobody else has their turn.
    checkBulk: (questions, { consistency } = {}) => over((ask) => checkInOneGo(ask, questions, consistency)),
    expand: (question, options) => answer(({ expand }) => expand(question, options)),
    reflectSchema: async () => {
      const inForce = ({ schema }: { schema: Schema }) => schema
      const asked = { ofMemory: inForce, ofSnapshot: async (snapshot: Snapshot) => inForce(snapshot) }
      return reflectSchema((await schemaAfter()) ?? (await ask(undefined, asked)))
    },
    lookupResources: (question, options) => answer(({ lookupResources }) => lookupResources(bound(question), options)),
    lookupSubjects: (question, options) => answer(({ lookupSubjects }) => lookupSubjects(bound(question), options)),
  }
}

const schemaOf = async ({ schema }: WhatIf): Promise<Schema | undefined> =>
  schema === undefined ? undefined : compileWithDirectory(applicationPart(schema))
