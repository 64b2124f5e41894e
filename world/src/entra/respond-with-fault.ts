import { setTimeout as pause } from 'node:timers/promises'
import type { Context, MiddlewareHandler } from 'hono'
import { type Cloud, findTenant } from './cloud.ts'
import { entraErrors, sendError } from './errors.ts'
import type { cloudFaults } from './faults.ts'

type CloudFault = Exclude<keyof typeof cloudFaults, 'metadata-issuer-changed'>

const slowSeconds = 3

/** Responds with the fault of the whole cloud to the requests to which it applies. */
export function respondWithFault(cloud: Cloud): MiddlewareHandler {
  const responses: Record<CloudFault, (c: Context) => Response | undefined | Promise<Response | undefined>> = {
    'invalid-tenant': (c) => sendError(c, cloud, entraErrors.tenantNotFound(tenantNameOf(c))),
    hang: () => new Promise(() => {}),
    down: (c) => {
      c.env.incoming.socket.destroy()
      return c.body(null)
    },
    'server-error': (c) => c.text('Service unavailable', 500),
    throttled: (c) =>
      c.json({ error: { code: 'TooManyRequests', message: 'Too many requests' } }, 429, { 'retry-after': '1' }),
    slow: () => pause((cloud.fault.options.seconds ?? slowSeconds) * 1000, undefined),
  }

  return async (c, next) => {
    const { name, options } = cloud.fault
    const isElsewhere =
      (options.path && !options.path.test(c.req.path)) ||
      (options.tenantId && findTenant(cloud, tenantNameOf(c))?.id !== options.tenantId) ||
      (name === 'invalid-tenant' && c.req.path.startsWith('/graph/'))
    if (!(name in responses) || isElsewhere || options.times === 0) return next()
    if (options.times !== undefined) options.times -= 1
    return (await responses[name as CloudFault](c)) ?? next()
  }
}

/** Returns the first segment of the path, which names the tenant except in Graph. */
const tenantNameOf = (c: Context) => decodeURIComponent(c.req.path.split('/')[1] ?? '')
