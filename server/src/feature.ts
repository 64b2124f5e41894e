import type { PermissionEngine } from '@passport/permissions'
import type { Branding } from './branding/brands.ts'
import type { Clients } from './clients/cache.ts'
import type { UseRecorder } from './clients/uses.ts'
import type { Config } from './config.ts'
import type { Contents } from './content/published.ts'
import type { AllowedOrigins } from './cors/allowed-origins.ts'
import type { Sql } from './database/sql.ts'
import type { EnabledTenants } from './discovery/enabled-tenants.ts'
import type { Activity } from './http/activity.ts'
import type { HttpClient } from './http/http-client.ts'
import type { HttpContext } from './http/http-context.ts'
import type { Metrics } from './http/metrics.ts'
import type { Mount } from './http/mount.ts'
import type { ServePage } from './http/pages.ts'
import type { ProtocolRoutes } from './http/protocol.ts'
import type { Serve } from './http/serve.ts'
import type { IdentityApis } from './identity-apis/cache.ts'
import type { Upstreams } from './identity-providers/upstreams.ts'
import type { ListDemoUsers } from './local-directory/demo-user-names.ts'
import type { Log } from './log.ts'
import type { IntrospectPersonalToken } from './personal-tokens/introspect.ts'
import type { ClientTokens } from './provider/client-token.ts'
import type { PassportIssuer } from './provider/passport-issuer.ts'
import type { RequestStore } from './provider/request-store.ts'
import type { TraceRecorder } from './sign-in-traces/recorder.ts'
import type { Vault } from './vault.ts'

/** A feature of the service, such as preferences. It registers its routes, given the services. */
export type Feature = (routes: Routes, services: Services) => void

/**
 * Functions that register an endpoint of the contract, a page of the server, a whole protocol under a path, or an
 * endpoint of the issuer.
 */
export interface Routes {
  serve: Serve
  page: ServePage
  mount: Mount
  protocol: ProtocolRoutes['protocol']
}

export interface Services {
  config: Config
  http: HttpContext
  httpClient: HttpClient
  sql: Sql
  vault: Vault
  log: Log
  metrics: Metrics
  activity: Activity
  upstreams: Upstreams
  enabledTenants: EnabledTenants
  listDemoUsers: ListDemoUsers
  branding: Branding
  allowedOrigins: AllowedOrigins
  clients: Clients
  clientTokens: ClientTokens
  /** Records the uses of clients and their secrets. */
  uses: UseRecorder
  apis: IdentityApis
  contents: Contents
  issuer: PassportIssuer
  /** The authorization requests that wait for their users, or were pushed. */
  requests: RequestStore
  introspectPersonalToken: IntrospectPersonalToken
  permissions: PermissionEngine
  /** Returns the names of the recurring jobs. */
  jobNames: () => string[]
  traces: TraceRecorder
  /** Aborted when the server begins to stop: it serves requests, but begins no background work. */
  stopping: AbortSignal
  /** Aborted when the server closes its connections, to end responses that would not end by themselves. */
  closing: AbortSignal
}
