import {
  applyWhatIf,
  findInvalidEdges,
  type MemoryGraph,
  PermissionFault,
  type Relationship,
  reflectSchema,
  type Schema,
  type WhatIf,
  type WhatIfEngine,
} from '@passport/permissions'
import type { AtRevision, EvaluateOnGraph } from './consistency.ts'
import { applicationPart, compileWithDirectory } from './directory.ts'
import type { Parts } from './parts.ts'
import { checkWithoutYielding, type Questions, questionCalls } from './questions.ts'
import { keyOf } from './rows.ts'
import { notCaughtUp, type Snapshot } from './sql-graph.ts'

/** Answers from an overlay on the in-memory graph. Throws `not-caught-up` until everything is in memory. */
export function createWhatIfEngine(
  { evaluate, cycles }: Pick<Parts, 'evaluate' | 'cycles'>,
  whatIf: WhatIf,
  { schemaAfter, findInvalidEdgesAt } = createAssumedSchema(whatIf),
): WhatIfEngine {
  const cycleOptions = cycles && { cycles }
  async function evaluateHypothetical<T extends object>(
    call: (evaluate: EvaluateOnGraph) => Promise<T>,
  ): Promise<T & { leftOut: number }> {
    const after = await schemaAfter()
    let leftOut = 0
    const result = await call((consistency, question) => {
      if (consistency?.kind === 'atExactSnapshot')
        throw new PermissionFault(
          'what-if-past',
          'What-if queries are possible only at the current revision.',
          'consistency.kind',
        )
      return evaluate(consistency, {
        evaluateInMemory: (state) => {
          const overlay = applyWhatIf(
            state.schema,
            state.graph,
            whatIf,
            after,
            after && findInvalidEdgesAt(state, after),
          )
          leftOut = overlay.leftOut
          return question.evaluateInMemory({ ...state, ...overlay })
        },
        evaluateInSnapshot: () => {
          throw notCaughtUp()
        },
      })
    })
    return { ...result, leftOut }
  }
  const evaluateQuestion = <T extends object>(call: (questions: Questions) => Promise<T>) =>
    evaluateHypothetical((evaluate) => call(questionCalls({ evaluate, ...cycleOptions })))
  // The hypothetical changes are part of the question that a cursor is bound to.
  const withWhatIf = <Q extends object>(question: Q) => ({ ...question, whatIf })
  return {
    check: (question, options) => evaluateQuestion(({ check }) => check(question, options)),
    // An overlay cannot detect changes of the graph below, so this does not yield.
    checkBulk: (questions, { consistency } = {}) =>
      evaluateHypothetical((evaluate) => checkWithoutYielding({ evaluate, ...cycleOptions }, questions, consistency)),
    expand: (question, options) => evaluateQuestion(({ expand }) => expand(question, options)),
    reflectSchema: async () => {
      const readSchema = ({ schema }: { schema: Schema }) => schema
      const question = {
        evaluateInMemory: readSchema,
        evaluateInSnapshot: async (snapshot: Snapshot) => readSchema(snapshot),
      }
      return reflectSchema((await schemaAfter()) ?? (await evaluate(undefined, question)))
    },
    lookupResources: (question, options) =>
      evaluateQuestion(({ lookupResources }) => lookupResources(withWhatIf(question), options)),
    lookupSubjects: (question, options) =>
      evaluateQuestion(({ lookupSubjects }) => lookupSubjects(withWhatIf(question), options)),
    whatIf: (more) =>
      createWhatIfEngine({ evaluate, ...cycleOptions }, mergeWhatIf(whatIf, more), { schemaAfter, findInvalidEdgesAt }),
  }
}

type GraphAtRevision = AtRevision & { graph: MemoryGraph }

/** Compiles the assumed schema once, and finds invalid relationships once per revision. */
function createAssumedSchema({ schema }: WhatIf) {
  let compiled: Promise<Schema> | undefined
  let cached: { state: GraphAtRevision; invalidEdges: Set<number> } | undefined
  return {
    schemaAfter: async () => {
      if (schema !== undefined) compiled ??= compileWithDirectory(applicationPart(schema))
      return compiled
    },
    findInvalidEdgesAt: (moment: GraphAtRevision, after: Schema): ReadonlySet<number> => {
      const isCurrent = cached?.state.graph === moment.graph && cached.state.rev === moment.rev
      if (!cached || !isCurrent)
        cached = { state: moment, invalidEdges: findInvalidEdges(moment.graph, moment.schema, after) }
      return cached.invalidEdges
    },
  }
}

/** Later changes take precedence. */
function mergeWhatIf(
  { add = [], remove = [], ...schema }: WhatIf,
  { add: added = [], remove: removed = [] }: Pick<WhatIf, 'add' | 'remove'>,
): WhatIf {
  const later = new Set([...added, ...removed].map(keyOf))
  const isNotOverridden = (relationship: Relationship) => !later.has(keyOf(relationship))
  return {
    ...schema,
    add: [...add.filter(isNotOverridden), ...added],
    remove: [...remove.filter(isNotOverridden), ...removed],
  }
}
