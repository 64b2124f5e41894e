import { parseSupportCode } from '@passport/contract/parse-support-code'
import * as api from '@passport/contract/sign-in-traces'
import type { Feature } from '../feature.ts'
import { decodeInstantCursor, toCursorPage } from '../http/paging.ts'
import * as problems from './problems.ts'
import { readTrace, summarise } from './read.ts'
import * as store from './store.ts'

/** The traces of sign-ins, for administrators who help users. */
export const signInTraces: Feature = ({ serve }, services) => {
  const { sql, traces } = services

  serve(api.listSignInTraces, async ({ query }) => {
    await traces.flush()
    const { reasons, client, limit } = query
    const filter = { reasons: reasons?.split(' '), client }
    const rows = await store.listFailures(sql, filter, limit + 1, decodeInstantCursor(query.after))
    const cursorOf = ({ at, id }: store.TraceRow) => [at, id] as const
    const page = toCursorPage({ path: api.listSignInTraces.path, query, rows, cursorOf })
    return { ...page, items: await summarise(services, page.items) }
  })

  serve(api.getSignInTrace, async ({ params }) => {
    await traces.flush()
    const code = parseSupportCode(params.supportCode)
    const trace = code && (await readTrace(services, code))
    if (!trace) throw problems.traceNotFound()
    return trace
  })
}
