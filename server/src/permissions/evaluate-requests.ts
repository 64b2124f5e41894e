import {
  Budget,
  type BulkCheckItem,
  type BulkCheckResult,
  type CheckRequest,
  type Consistency,
  check,
  type EvaluationOptions,
  expand,
  type Graph,
  lookupResources,
  lookupSubjects,
  maxSteps,
  type PermissionEngine,
  PermissionError,
  type Schema,
  type Token,
} from '@passport/permissions'
import * as z from 'zod/mini'
import {
  type AtRevision,
  createGraphRequest,
  type EngineContext,
  type EvaluateOnGraph,
  type GraphRequest,
} from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import type { Snapshot } from './sql-graph.ts'
import { encodeToken } from './token.ts'
import { createYielder } from './yield-if-due.ts'

export type RequestMethods = Pick<
  PermissionEngine,
  'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'
>

/** The part of `EngineContext` that evaluations need, for any kind of graph. */
type EvaluationContext = { evaluate: EvaluateOnGraph } & Pick<EngineContext, 'options'>

const CursorPosition = z.object({ token: z.string(), cursor: z.string() })
const maxItems = 1000

/** Creates the methods that evaluate permissions, on any kind of graph. */
export function createRequestMethods(context: EvaluationContext): RequestMethods {
  const { evaluate, options } = context
  return {
    check: (request, { consistency, withTrace = false } = {}) => {
      const checks = createGraphRequest(
        ({ fetchFrom }) => fetchFrom(request),
        ({ schema, epoch, rev }, graph) => {
          const evaluation = { ...options, now: Date.now(), withTrace, withResidual: true }
          const { hasCycle, ...verdict } = check(schema, graph, request, evaluation)
          return { ...verdict, checkedAt: encodeToken(epoch, rev) }
        },
      )
      return evaluate(consistency, checks)
    },
    checkBulk: (requests, { consistency } = {}) => checkBulk(context, requests, consistency),
    lookupResources: (request, { consistency } = {}) =>
      lookUpPage(context, consistency, request, lookupResources, ({ fetchTowards }) => fetchTowards(request)),
    lookupSubjects: (request, { consistency } = {}) =>
      lookUpPage(context, consistency, request, lookupSubjects, ({ fetchFrom }) => fetchFrom(request)),
    expand: (request, { consistency } = {}) => {
      const expansion = createGraphRequest(
        ({ fetchFrom }) => fetchFrom(request),
        ({ schema, epoch, rev }, graph) => {
          const tree = expand(schema, graph, request, { now: Date.now() })
          return { tree, expandedAt: encodeToken(epoch, rev) }
        },
      )
      return evaluate(consistency, expansion)
    },
  }
}

/**
 * Returns a page, with a cursor that contains its revision: the next page is at least as fresh. The evaluation does not
 * yield, because a walk cannot continue in a changed graph. Each page has its own step budget, and nothing is kept of
 * the previous one.
 */
async function lookUpPage<
  PagedRequest extends { cursor?: string | undefined; limit: number },
  Page extends { cursor?: string },
>(
  { evaluate, options }: EvaluationContext,
  consistency: Consistency | undefined,
  request: PagedRequest,
  lookUp: (schema: Schema, graph: Graph, request: PagedRequest, options: EvaluationOptions) => Page,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (request.limit > maxItems) throw new PermissionError('too-many', `At most ${maxItems} per page.`, 'limit')
  const position = decodeCursor(CursorPosition, request)
  const pageRequest = { ...request, cursor: position?.cursor }
  const pages = createGraphRequest(fetch, ({ schema, epoch, rev }, graph) => {
    const page = lookUp(schema, graph, pageRequest, { now: Date.now(), ...options })
    const token = encodeToken(epoch, rev)
    const cursor = page.cursor === undefined ? undefined : encodeCursor(request, { token, cursor: page.cursor })
    return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
  })
  return evaluatePage(position?.token, consistency, (pageConsistency) => evaluate(pageConsistency, pages))
}

/** The number of attempts that yield. Under constant writes all of them fail, and the last one does not yield. */
const attemptsWithYields = 3

/** Evaluates many checks at one revision. Without attempts that yield, they share the step budget of one check. */
export async function checkBulk(
  { evaluate, options }: EvaluationContext,
  requests: CheckRequest[],
  consistency: Consistency | undefined,
  attempts = attemptsWithYields,
): Promise<BulkCheckResult> {
  if (requests.length > maxItems) throw new PermissionError('too-many', `At most ${maxItems} per request.`, 'items')
  for (let attempt = 0; attempt <= attempts; attempt++) {
    const withYields = attempt < attempts
    const results = await evaluate(consistency, createBulkRequest(requests, { withYields, ...options }))
    if (results) return results
  }
  throw new Error('The graph changed within one turn of the event loop')
}

/** The step budget for all checks of a call that yields in between. */
const stepsWithYields = 5 * maxSteps

/**
 * Creates a request that evaluates many checks at one revision. With `withYields` it yields to the event loop between
 * checks; if the graph in memory changes in between, the result is undefined and the caller must retry. Without, the
 * checks share the step budget of one.
 */
export function createBulkRequest(
  requests: CheckRequest[],
  { withYields, ...options }: { withYields: boolean } & EngineContext['options'],
): GraphRequest<BulkCheckResult | undefined | Promise<BulkCheckResult | undefined>, Graph> {
  const evaluation = { ...options, now: Date.now() }
  return {
    evaluateInMemory: (state) => checkAll(state, requests, () => state.graph, withYields, evaluation),
    evaluateInSnapshot: (snapshot) => checkAll(snapshot, requests, snapshot.fetchFrom, true, evaluation),
  }
}

async function checkAll(
  state: AtRevision,
  requests: CheckRequest[],
  fetch: (request: CheckRequest) => Graph | Promise<Graph>,
  withYields: boolean,
  evaluation: EvaluationOptions,
): Promise<BulkCheckResult | undefined> {
  const { schema, epoch, rev } = state
  const yieldIfDue = createYielder()
  const results: BulkCheckItem[] = []
  let stepsLeft = withYields ? stepsWithYields : maxSteps
  for (const request of requests) {
    // The state in memory is changed in place, together with its revision.
    if (withYields && (await yieldIfDue()) && state.rev !== rev) return undefined
    const budget = new Budget(Math.min(maxSteps, stepsLeft))
    stepsLeft -= budget.left
    try {
      const fetched = fetch(request)
      // The graph in memory is used without `await`, during which it may change.
      const graph = fetched instanceof Promise ? await fetched : fetched
      const { permissionship, missing } = check(schema, graph, request, { ...evaluation, budget })
      results.push({ permissionship, missing })
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error
      const { code, message, field } = error
      results.push({ error: { code, message, field } })
    }
    stepsLeft += budget.left
  }
  return { results, checkedAt: encodeToken(epoch, rev) }
}
