import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as api from '@passport/contract/health'
import { isLoopbackHost } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Feature } from '../feature.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { Visit } from '../http/visit.ts'
import { isSameSecret } from '../vault.ts'
import { createMonitor } from './monitor.ts'
import * as problems from './problems.ts'
import { readActivity } from './read-activity.ts'
import * as store from './store.ts'

const dayMs = 86_400_000

/** Liveness, readiness and metrics for monitoring, and the health page of administrators. */
export const health: Feature = ({ serve, mount }, services) => {
  const { sql, config, http, metrics, stopping } = services
  const monitor = createMonitor(services)

  serve(api.getLiveness, () => ({ status: 'ok' as const }))

  serve(api.getReadiness, async () => {
    if (stopping.aborted) throw problems.stopping()
    try {
      await probeDatabase(sql)
      return { status: 'ok' as const }
    } catch (cause) {
      throw problems.notReady(cause)
    }
  })

  serve(api.getHealth, () => monitor.read())

  serve(api.listHealthSamples, async ({ params: { name }, query: { from, every } }) => {
    if (!monitor.names.includes(name)) throw problems.checkNotFound()
    const earliest = from ?? new Date(Date.now() - dayMs).toISOString()
    return { samples: await store.listSamples(sql, name, earliest, Number(every)) }
  })

  serve(api.getActivity, ({ query }) => readActivity(sql, Number(query.days)))

  mount('/metrics', async ({ headers }, outgoing, visit) => {
    const token = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
    const hasToken = config.metricsToken !== undefined && isSameSecret(token ?? '', config.metricsToken)
    if (!hasToken && (!http.isLocal(visit) || isForwarded(headers) || !isOwnHost(visit, http))) {
      throw problems.metricsTokenMissing()
    }
    const { type, text } = await metrics.read()
    outgoing.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
  })
}

/** Shorter than the timeout of load balancers, so that they get the reason. */
const readyWithinMs = 1_500

async function probeDatabase(sql: Sql) {
  const finished = new AbortController()
  const { signal } = finished
  const timeout = delay(readyWithinMs, undefined, { signal, ref: false }).then(() => {
    throw new Error(`The database did not respond within ${readyWithinMs} ms.`)
  })
  await Promise.race([requireWritable(sql), timeout]).finally(() => {
    timeout.catch(() => {})
    finished.abort()
  })
}

/** Throws on a replica, or another server that only reads; it writes nothing. */
async function requireWritable(sql: Sql) {
  const [row] = await sql<{ isReadOnly: boolean }[]>`
    select current_setting('transaction_read_only')::boolean as is_read_only`
  if (row?.isReadOnly) throw new Error('The database is read-only.')
}

/**
 * Reports whether a visit is to this server by its own host name. DNS can point the name of another site at this
 * machine, whose pages must not read the metrics of a local server.
 */
const isOwnHost = ({ host }: Visit, { publicUrl }: HttpContext) =>
  host === new URL(publicUrl).host || isLoopbackHost(URL.parse(`http://${host}`)?.hostname ?? '')

/** Reports whether a request came through a proxy: one on the same machine would otherwise look like a local user. */
const isForwarded = (headers: IncomingHttpHeaders) =>
  ['forwarded', 'via', 'x-real-ip'].some((name) => headers[name] !== undefined) ||
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-'))
