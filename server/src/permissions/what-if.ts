import {
  applyWhatIf,
  findInvalidEdges,
  type MemoryGraph,
  PermissionError,
  type Relationship,
  reflectSchema,
  type Schema,
  type WhatIf,
  type WhatIfEngine,
} from '@passport/permissions'
import type { AtRevision, EvaluateOnGraph, Parts } from './consistency.ts'
import { applicationPart, compileWithDirectory } from './directory-schema.ts'
import { checkBulk, createRequestMethods, type RequestMethods } from './evaluate-requests.ts'
import { keyOf } from './rows.ts'
import { notCaughtUp } from './sql-graph.ts'

/** Answers from an overlay on the in-memory graph. Throws `not-caught-up` until everything is in memory. */
export function createWhatIfEngine(
  { evaluate, options }: Pick<Parts, 'evaluate' | 'options'>,
  whatIf: WhatIf,
  assumed = createAssumedSchema(whatIf),
): WhatIfEngine {
  async function evaluateHypothetical<T extends object>(
    call: (parts: { evaluate: EvaluateOnGraph; options: Parts['options'] }) => Promise<T>,
  ): Promise<T & { leftOut: number }> {
    const after = await assumed.schemaAfter()
    let leftOut = 0
    const evaluateOnOverlay: EvaluateOnGraph = (consistency, request) => {
      if (consistency?.kind === 'atExactSnapshot') throw whatIfPast()
      return evaluate(consistency, {
        evaluateInMemory: (state) => {
          const invalidEdges = after && assumed.findInvalidEdgesAt(state, after)
          const overlay = applyWhatIf(state.schema, state.graph, whatIf, after, invalidEdges)
          leftOut = overlay.leftOut
          return request.evaluateInMemory({ ...state, ...overlay })
        },
        evaluateInSnapshot: () => {
          throw notCaughtUp()
        },
      })
    }
    const result = await call({ evaluate: evaluateOnOverlay, options })
    return { ...result, leftOut }
  }
  const ask = <T extends object>(call: (requests: RequestMethods) => Promise<T>) =>
    evaluateHypothetical((parts) => call(createRequestMethods(parts)))
  // The hypothetical changes are part of the request that a cursor is bound to.
  const withWhatIf = <Q extends object>(request: Q) => ({ ...request, whatIf })
  return {
    check: (...args) => ask(({ check }) => check(...args)),
    // An overlay cannot detect changes of the graph below, so this does not yield.
    checkBulk: (requests, { consistency } = {}) =>
      evaluateHypothetical((parts) => checkBulk(parts, requests, consistency, 0)),
    expand: (...args) => ask(({ expand }) => expand(...args)),
    lookupResources: (request, ...args) => ask(({ lookupResources }) => lookupResources(withWhatIf(request), ...args)),
    lookupSubjects: (request, ...args) => ask(({ lookupSubjects }) => lookupSubjects(withWhatIf(request), ...args)),
    reflectSchema: async () => {
      const readSchema = ({ schema }: AtRevision) => schema
      const request = { evaluateInMemory: readSchema, evaluateInSnapshot: async (at: AtRevision) => readSchema(at) }
      return reflectSchema((await assumed.schemaAfter()) ?? (await evaluate(undefined, request)))
    },
    whatIf: (more) => createWhatIfEngine({ evaluate, options }, mergeWhatIf(whatIf, more), assumed),
  }
}

const whatIfPast = () =>
  new PermissionError('what-if-past', 'What-if queries are possible only at the current revision.', 'consistency.kind')

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
