import type { IncomingHttpHeaders } from 'node:http'
import type { Services } from '../feature.ts'
import type { Visit } from '../http/visit.ts'
import type { ScimClient } from './authenticate.ts'
import { ScimError } from './scim-error.ts'

export interface ScimRequest {
  client: ScimClient
  method: string
  /** The path after the id of the organisation, with the query. */
  path: string
  body: unknown
  headers: IncomingHttpHeaders
  visit: Visit
}

export interface ScimResponse {
  status: number
  body?: unknown
  headers: Record<string, string>
  /** What the request did other than its sender may expect, as sentences for the log. */
  notes: string[]
}

/** Answers a request of an authenticated client. Throws `ScimError`. */
export function answer(_services: Services, { path }: ScimRequest): Promise<ScimResponse> {
  throw new ScimError(404, `The path ${path.slice(0, 100)} does not exist.`)
}
