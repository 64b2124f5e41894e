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
import type { AtRevision, EngineContext, EvaluateOnGraph } from './consistency.ts'
import { compileWithDirectory, extractApplicationPart } from './directory-schema.ts'
import { checkBulk, createRequestMethods, type RequestMethods } from './evaluate-requests.ts'
import { keyOf } from './rows.ts'
import { notCaughtUp } from './sql-graph.ts'

/**
 * Creates an engine that evaluates on the graph in memory with hypothetical changes. Its methods throw `not-caught-up`
 * until all relationships are in memory.
 */
export function createWhatIfEngine(
  { evaluate, options }: Pick<EngineContext, 'evaluate' | 'options'>,
  whatIf: WhatIf,
  assumed = createAssumedSchema(whatIf),
): WhatIfEngine {
  async function evaluateHypothetical<T extends object>(
    call: (context: { evaluate: EvaluateOnGraph; options: EngineContext['options'] }) => Promise<T>,
  ): Promise<T & { leftOut: number }> {
    const after = await assumed.compile()
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
  const request = <T extends object>(call: (methods: RequestMethods) => Promise<T>) =>
    evaluateHypothetical((context) => call(createRequestMethods(context)))
  // A cursor is bound to its request, which includes the hypothetical changes.
  const withWhatIf = <Request extends object>(lookup: Request) => ({ ...lookup, whatIf })
  return {
    check: (...args) => request(({ check }) => check(...args)),
    // An overlay does not detect changes of the graph below it, so the checks do not yield.
    checkBulk: (requests, { consistency } = {}) =>
      evaluateHypothetical((context) => checkBulk(context, requests, consistency, 0)),
    expand: (...args) => request(({ expand }) => expand(...args)),
    lookupResources: (lookup, ...args) =>
      request(({ lookupResources }) => lookupResources(withWhatIf(lookup), ...args)),
    lookupSubjects: (lookup, ...args) => request(({ lookupSubjects }) => lookupSubjects(withWhatIf(lookup), ...args)),
    reflectSchema: async () => {
      const readSchema = ({ schema }: AtRevision) => schema
      const current = { evaluateInMemory: readSchema, evaluateInSnapshot: async (at: AtRevision) => readSchema(at) }
      return reflectSchema((await assumed.compile()) ?? (await evaluate(undefined, current)))
    },
    whatIf: (more) => createWhatIfEngine({ evaluate, options }, mergeWhatIf(whatIf, more), assumed),
  }
}

const whatIfPast = () =>
  new PermissionError('what-if-past', 'What-if queries are possible only at the current revision.', 'consistency.kind')

type GraphAtRevision = AtRevision & { graph: MemoryGraph }

/** Caches the compiled schema of a `WhatIf`, and the stored relationships that do not fit it at a revision. */
function createAssumedSchema({ schema }: WhatIf) {
  let compiled: Promise<Schema> | undefined
  let cached: { graph: MemoryGraph; rev: number; invalidEdges: Set<number> } | undefined
  return {
    compile: async () => {
      if (schema !== undefined) compiled ??= compileWithDirectory(extractApplicationPart(schema))
      return compiled
    },
    findInvalidEdgesAt: ({ graph, rev, schema: before }: GraphAtRevision, after: Schema): ReadonlySet<number> => {
      if (cached?.graph !== graph || cached.rev !== rev)
        cached = { graph, rev, invalidEdges: findInvalidEdges(graph, before, after) }
      return cached.invalidEdges
    },
  }
}

/** Merges changes of which the later ones take precedence. */
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
