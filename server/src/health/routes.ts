import * as api from '@passport/contract/health'
import { Problem } from '../http/problem.ts'
import type { Room } from '../room.ts'
import { isSameSecret } from '../vault.ts'

/** Whether this process lives and can serve, and its figures. */
export const health: Room = ({ serve, mount }, { sql, config, metrics }) => {
  serve(api.getLiveness, () => ({ status: 'ok' as const }))

  serve(api.getReadiness, async () => {
    try {
      await sql`select 1`
      return { status: 'ok' as const }
    } catch (cause) {
      throw new Problem(503, 'not-ready', 'The database does not answer.', { cause, headers: { 'Retry-After': '5' } })
    }
  })

  mount('/metrics', async ({ socket, headers }, outgoing) => {
    const isNear = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined
    const token = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
    const isAllowed = isNear || (config.metricsToken !== undefined && isSameSecret(token ?? '', config.metricsToken))
    const { type, text } = await metrics.read()
    if (isAllowed) outgoing.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text)
    else outgoing.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
  })
}
