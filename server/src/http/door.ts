import type { Config } from '../config.ts'
import type { Identify } from './caller.ts'
import { type CorsHeaders, corsHeadersFor } from './cors.ts'
import type { Log } from './log.ts'
import { standingHeaders } from './respond.ts'
import { type ReadVisit, visitReader } from './visit.ts'

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
  log: Log
  /** The address of the one style sheet of the server's own pages; none where the app was not built. */
  stylesheet: string | undefined
}

/** The door of a server with this configuration. */
export function createDoor(config: Config, identify: Identify, log: Log, stylesheet: string | undefined): Door {
  const isSecure = config.publicUrl.startsWith('https:')
  return {
    publicUrl: config.publicUrl,
    brandName: config.brandName,
    isSecure,
    sessionCookie: isSecure ? '__Host-passport' : 'passport',
    standing: standingHeaders(isSecure),
    corsHeaders: corsHeadersFor(config.corsOrigins[config.stack] ?? []),
    readVisit: visitReader(config.trustedProxies),
    identify,
    log,
    stylesheet,
  }
}
