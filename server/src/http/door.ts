import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Identify } from './caller.ts'
import { type CorsHeaders, corsHeadersFor } from './cors.ts'
import type { Log } from './log.ts'
import { type AddressLimit, addressLimiter } from './rate-limit.ts'
import { standingHeaders } from './respond.ts'
import { isLoopback, type ReadVisit, type Visit, visitReader } from './visit.ts'

/** What every route of this server has in common. */
export interface Door {
  publicUrl: string
  brandName: string
  /** Browsers reach the server by https. */
  isSecure: boolean
  /** The name of the session cookie; only https keeps a name with the prefix `__Host-`. */
  sessionCookie: string
  standing: Record<string, string>
  corsHeaders: CorsHeaders
  readVisit: ReadVisit
  identify: Identify
  /**
   * Makes what counts visits by their address; throws 429 when there were too many, otherwise returns the headers that
   * tell what is left. It counts none that is near.
   */
  limitAddress: (limit: AddressLimit) => (visit: Visit) => Promise<Record<string, string>>
  /** Comes from this machine to a server that serves no other: nobody else is there to be protected from. */
  isNear: (visit: Pick<Visit, 'ip'>) => boolean
  log: Log
  /** The address of the one style sheet of the server's own pages; none where the app was not built. */
  stylesheet: string | undefined
}

interface Given {
  config: Config
  sql: Sql
  identify: Identify
  log: Log
  stylesheet: string | undefined
}

/** The door of a server with this configuration. */
export function createDoor({ config, sql, identify, log, stylesheet }: Given): Door {
  const isSecure = config.publicUrl.startsWith('https:')
  const isNear = ({ ip }: Pick<Visit, 'ip'>) => config.isLoopback && isLoopback(ip)
  return {
    publicUrl: config.publicUrl,
    brandName: config.brandName,
    isSecure,
    sessionCookie: isSecure ? '__Host-passport' : 'passport',
    standing: standingHeaders(isSecure),
    corsHeaders: corsHeadersFor(config.corsOrigins[config.stack] ?? []),
    readVisit: visitReader(config.trustedProxies),
    identify,
    limitAddress: (limit) => {
      const count = addressLimiter(sql, limit)
      return async (visit) => (isNear(visit) ? {} : count(visit))
    },
    isNear,
    log,
    stylesheet,
  }
}
