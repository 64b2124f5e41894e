import type { ActorFields } from '../audit/store.ts'
import type { Services } from '../feature.ts'
import type { Visit } from '../http/visit.ts'
import type { ScimClient } from './authenticate.ts'

/** The client of a change, and the notes for the log. */
export interface ScimContext {
  services: Services
  client: ScimClient
  visit: Visit
  /** What happened other than the client may expect, as sentences. */
  notes: string[]
}

/** Returns the clients of an organisation as an actor, for the audit log. */
export const actorOf = ({ client, visit }: ScimContext): ActorFields => ({ actorId: `scim:${client.orgId}`, visit })
