import type { IncomingHttpHeaders } from 'node:http'
import * as api from '@passport/contract/health'
import { Problem } from '../http/problem.ts'
import type { Room } from '../room.ts'
import { isSameSecret } from '../vault.ts'

/** Whether this process lives and can serve, and its figures. */
export const health: Room = ({ serve, mount }, { sql, config, door, metrics }) => {
  serve(api.getLiveness, () => ({ status: 'ok' as const }))

  serve(api.getReadiness, async () => {
    try {
      await sql`select 1`
      return { status: 'ok' as const }
    } catch (cause) {
      throw new Problem(503, 'not-ready', 'The database does not answer.', { cause, headers: { 'Retry-After': '5' } })
    }
  })

  mount('/metrics', async ({ headers }, outgoing, visit) => {
    const token = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
    const hasToken = config.metricsToken !== undefined && isSameSecret(token ?? '', config.metricsToken)
    if (!hasToken && (!door.isNear(visit) || isForwarded(headers))) {
      const challenge = { 'WWW-Authenticate': 'Bearer' }
      throw new Problem(401, 'metrics-token-missing', 'Send METRICS_TOKEN as a bearer token.', { headers: challenge })
    }
    const { type, text } = await metrics.read()
    outgoing.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
  })
}

/** A proxy on the same machine looks as near as whoever is at it; any of these gives it away. */
const isForwarded = (headers: IncomingHttpHeaders) =>
  ['forwarded', 'via', 'x-real-ip'].some((name) => headers[name] !== undefined) ||
  Object.keys(headers).some((name) => name.startsWith('x-forwarded-'))
