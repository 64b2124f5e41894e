import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import type { Brand } from './brand.ts'
import type { Identify } from './caller.ts'
import { type CorsHeaders, createCorsHeaders } from './cors.ts'
import {
  type AddressLimit,
  type Consume,
  createAddressLimiter,
  createSharedCounter,
  type SharedLimit,
} from './rate-limit.ts'
import { createStandardHeaders } from './respond.ts'
import { createVisitReader, isLoopback, type ReadVisit, type Visit } from './visit.ts'

/** The context shared by all routes of this server. */
export interface HttpContext {
  publicUrl: string
  /** Further names of this server for programs, besides that of the public URL. */
  allowedHosts: ReadonlySet<string>
  /** Returns what users see as the product. */
  readBrand: () => Brand
  /** Browsers reach the server over https. */
  isSecure: boolean
  /** The name of the session cookie, with the prefix `__Host-` over https, which browsers require for it. */
  sessionCookie: string
  standardHeaders: Record<string, string>
  corsHeaders: CorsHeaders
  readVisit: ReadVisit
  identify: Identify
  /**
   * Creates a function that counts a request by its IP address and returns the rate limit headers. It throws 429 above
   * the limit. Local requests are not counted (`isLocal`).
   */
  limitAddress: (limit: AddressLimit) => (visit: Visit) => Promise<Record<string, string>>
  /** Creates a function that counts a request by its caller; it throws 429 above the limit. */
  limitCaller: (limit: SharedLimit) => Consume
  /** Reports whether a request comes from this machine, to a server that only this machine can reach. */
  isLocal: (visit: Pick<Visit, 'ip'>) => boolean
  /** Reports whether a forced sign-in at this provider proves a recent authentication without `auth_time`. */
  provesByPrompt: (idp: string) => boolean
  log: Log
  /** The URL of the style sheet for the server's own pages; undefined if the app has not been built. */
  stylesheet: string | undefined
}

interface HttpContextOptions {
  config: Config
  sql: Sql
  identify: Identify
  readBrand: () => Brand
  /** Returns the origins whose pages may read responses to calls with a token. */
  readOrigins: () => ReadonlySet<string>
  log: Log
  stylesheet: string | undefined
}

/** Creates the context of a server with this configuration. */
export function createHttpContext({
  config,
  sql,
  identify,
  readBrand,
  readOrigins,
  log,
  stylesheet,
}: HttpContextOptions): HttpContext {
  const isSecure = config.publicUrl.startsWith('https:')
  const isLocal = ({ ip }: Pick<Visit, 'ip'>) => config.isLoopback && isLoopback(ip)
  return {
    publicUrl: config.publicUrl,
    allowedHosts: new Set(config.allowedHosts),
    readBrand,
    isSecure,
    sessionCookie: isSecure ? '__Host-passport' : 'passport',
    standardHeaders: createStandardHeaders(isSecure),
    corsHeaders: createCorsHeaders(readOrigins),
    readVisit: createVisitReader({ proxies: config.trustedProxies, header: config.trustedProxyHeader }),
    identify,
    limitAddress: (limit) => {
      const consume = createAddressLimiter(sql, limit)
      return async (visit) => (isLocal(visit) ? {} : consume(visit))
    },
    limitCaller: (limit) => createSharedCounter(sql, limit),
    isLocal,
    provesByPrompt: (idp) =>
      config.identityProviders.some(
        (provider) => provider.id === idp && provider.kind === 'oidc' && provider.freshness === 'prompt',
      ),
    log,
    stylesheet,
  }
}
