import type { Supposition, WhatIf } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { MemoryGraph } from '@passport/permissions/memory-graph'
import { reflectSchema } from '@passport/permissions/reflect'
import type { Relationship } from '@passport/permissions/relationship'
import type { Schema } from '@passport/permissions/schema'
import { unfitting } from '@passport/permissions/unfitting'
import { supposed } from '@passport/permissions/what-if'
import type { Asked, AskGraph } from './consistency.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import type { Parts } from './parts.ts'
import { checkInOneGo, type Questions, questionCalls } from './questions.ts'
import { keyOf } from './rows.ts'
import { notCaughtUp, type Snapshot } from './sql-graph.ts'

/**
 * Answers of the graph as it would be, with a graph laid over that in memory. Where not all is in memory yet it throws
 * `not-caught-up`.
 */
export function suppose(
  { ask, cycles }: Pick<Parts, 'ask' | 'cycles'>,
  whatIf: WhatIf,
  { schemaAfter, leftAt } = supposedSchema(whatIf),
): Supposition {
  const how = cycles && { cycles }
  async function over<T extends object>(call: (ask: AskGraph) => Promise<T>): Promise<T & { leftOut: number }> {
    const after = await schemaAfter()
    let leftOut = 0
    const answered = await call((consistency, question) => {
      if (consistency?.kind === 'atExactSnapshot')
        throw new PermissionFault('what-if-past', 'What would be can only be asked of now.', 'consistency.kind')
      return ask(consistency, {
        ofMemory: (moment) => {
          const there = supposed(moment.schema, moment.graph, whatIf, after, after && leftAt(moment, after))
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
    over((ask) => call(questionCalls({ ask, ...how })))
  // A cursor is bound to all that the question has.
  const bound = <Q extends object>(question: Q) => ({ ...question, whatIf })
  return {
    check: (question, options) => answer(({ check }) => check(question, options)),
    // A graph that is laid over another does not see that one move: nobody else has their turn.
    checkBulk: (questions, { consistency } = {}) =>
      over((ask) => checkInOneGo({ ask, ...how }, questions, consistency)),
    expand: (question, options) => answer(({ expand }) => expand(question, options)),
    reflectSchema: async () => {
      const inForce = ({ schema }: { schema: Schema }) => schema
      const asked = { ofMemory: inForce, ofSnapshot: async (snapshot: Snapshot) => inForce(snapshot) }
      return reflectSchema((await schemaAfter()) ?? (await ask(undefined, asked)))
    },
    lookupResources: (question, options) => answer(({ lookupResources }) => lookupResources(bound(question), options)),
    lookupSubjects: (question, options) => answer(({ lookupSubjects }) => lookupSubjects(bound(question), options)),
    suppose: (more) => suppose({ ask, ...how }, together(whatIf, more), { schemaAfter, leftAt }),
  }
}

type Moment = Asked & { graph: MemoryGraph }

/** The schema that is supposed is compiled once, and what does not fit it is looked for once as long as nothing changes. */
function supposedSchema({ schema }: WhatIf) {
  let compiled: Promise<Schema> | undefined
  let found: { moment: Moment; left: Set<number> } | undefined
  return {
    schemaAfter: async () => {
      if (schema !== undefined) compiled ??= compileWithDirectory(applicationPart(schema))
      return compiled
    },
    leftAt: (moment: Moment, after: Schema): ReadonlySet<number> => {
      const isStill = found?.moment.graph === moment.graph && found.moment.rev === moment.rev
      if (!found || !isStill) found = { moment, left: unfitting(moment.graph, moment.schema, after) }
      return found.left
    },
  }
}

/** What is supposed later counts. */
function together(
  { add = [], remove = [], ...schema }: WhatIf,
  { add: more = [], remove: less = [] }: Pick<WhatIf, 'add' | 'remove'>,
): WhatIf {
  const later = new Set([...more, ...less].map(keyOf))
  const isEarlier = (one: Relationship) => !later.has(keyOf(one))
  return { ...schema, add: [...add.filter(isEarlier), ...more], remove: [...remove.filter(isEarlier), ...less] }
}
