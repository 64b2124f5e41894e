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
  type EvaluateOnGraph,
  type GraphRequest,
  type Parts,
} from './consistency.ts'
import { decodeCursor, encodeCursor, evaluatePage } from './cursor.ts'
import type { Snapshot } from './sql-graph.ts'
import { encodeToken } from './token.ts'
import { createYielder } from './yield-if-due.ts'

export type RequestMethods = Pick<
  PermissionEngine,
  'check' | 'checkBulk' | 'lookupResources' | 'lookupSubjects' | 'expand'
>

/** The graph and the options of an evaluation; see `Parts`. */
type EvaluationParts = { evaluate: EvaluateOnGraph } & Pick<Parts, 'options'>

const CursorPosition = z.object({ token: z.string(), cursor: z.string() })
const maxAtOnce = 1000

/** Evaluates requests, the same way on either graph. */
export function createRequestMethods(parts: EvaluationParts): RequestMethods {
  const { evaluate, options } = parts
  return {
    check: (request, { consistency, withTrace = false } = {}) =>
      evaluate(
        consistency,
        createGraphRequest(
          ({ forCheck }) => forCheck(request),
          ({ schema, epoch, rev }, graph) => {
            const { hasCycle, ...verdict } = check(schema, graph, request, {
              ...options,
              now: Date.now(),
              withTrace,
              withResidual: true,
            })
            return { ...verdict, checkedAt: encodeToken(epoch, rev) }
          },
        ),
      ),
    checkBulk: (requests, { consistency } = {}) => checkBulk(parts, requests, consistency),
    lookupResources: (request, { consistency } = {}) =>
      lookUpPage(parts, consistency, request, lookupResources, ({ forResources }) => forResources(request)),
    lookupSubjects: (request, { consistency } = {}) =>
      lookUpPage(parts, consistency, request, lookupSubjects, ({ forSubjects }) => forSubjects(request)),
    expand: (request, { consistency } = {}) =>
      evaluate(
        consistency,
        createGraphRequest(
          ({ forExpansion }) => forExpansion(request),
          ({ schema, epoch, rev }, graph) => ({
            tree: expand(schema, graph, request, { now: Date.now() }),
            expandedAt: encodeToken(epoch, rev),
          }),
        ),
      ),
  }
}

type LookUp<LookupRequest, Page> = (
  schema: Schema,
  graph: Graph,
  request: LookupRequest,
  options: Pick<EvaluationOptions, 'now' | 'cycles'>,
) => Page

/**
 * Returns a page. The next page is never older: its cursor has the revision of this one. A page is found at one
 * revision without yielding, because a walk cannot continue in a changed graph. The step budget bounds it; each page
 * has its own, and no state of the previous page is kept.
 */
async function lookUpPage<PagedRequest extends { cursor?: string; limit: number }, Page extends { cursor?: string }>(
  { evaluate, options }: EvaluationParts,
  consistency: Consistency | undefined,
  request: PagedRequest,
  find: LookUp<PagedRequest, Page>,
  fetch: (snapshot: Snapshot) => Promise<Graph>,
): Promise<Page & { lookedUpAt: Token }> {
  if (request.limit > maxAtOnce) throw new PermissionError('too-many', `At most ${maxAtOnce} per page.`, 'limit')
  const position = decodeCursor(CursorPosition, request)
  const pageRequest = position ? { ...request, cursor: position.cursor } : request
  const pages = createGraphRequest(fetch, ({ schema, epoch, rev }, graph) => {
    const page = find(schema, graph, pageRequest, { now: Date.now(), ...options })
    const token = encodeToken(epoch, rev)
    const cursor = page.cursor === undefined ? undefined : encodeCursor(request, { token, cursor: page.cursor })
    return { ...page, ...(cursor !== undefined && { cursor }), lookedUpAt: token }
  })
  return evaluatePage(position?.token, consistency, (pageConsistency) => evaluate(pageConsistency, pages))
}

/** Under constant writes, a bulk check finally runs without yielding. */
const attemptsWithYields = 3

/** Evaluates many checks. Without attempts that yield, they share the budget of one check. */
export async function checkBulk(
  { evaluate, options }: EvaluationParts,
  requests: CheckRequest[],
  consistency: Consistency | undefined,
  attempts = attemptsWithYields,
): Promise<BulkCheckResult> {
  if (requests.length > maxAtOnce) throw new PermissionError('too-many', `At most ${maxAtOnce} per request.`, 'items')
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
 * Evaluates many checks at one revision. With `withYields` it yields to the event loop between them; if the in-memory
 * graph changes in between, the result is undefined and the caller must retry. Without, they share the budget of one.
 */
export function createBulkRequest(
  requests: CheckRequest[],
  { withYields, ...options }: { withYields: boolean } & Parts['options'],
): GraphRequest<BulkCheckResult | undefined | Promise<BulkCheckResult | undefined>, Graph> {
  const evaluation = { ...options, now: Date.now() }
  return {
    evaluateInMemory: (state) => checkAll(state, requests, () => state.graph, withYields, evaluation),
    evaluateInSnapshot: (snapshot) => checkAll(snapshot, requests, snapshot.forCheck, true, evaluation),
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
      // A graph in memory is checked at once: it may change at any `await`.
      const graph = fetched instanceof Promise ? await fetched : fetched
      const { permissionship, missing } = check(schema, graph, request, { ...evaluation, budget })
      results.push({ permissionship, missing })
    } catch (error) {
      if (!(error instanceof PermissionError)) throw error
      const { code, message, field } = error
      results.push({ error: { code, message, ...(field !== undefined && { field }) } })
    }
    stepsLeft += budget.left
  }
  return { results, checkedAt: encodeToken(epoch, rev) }
}
