import type { Actor } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import type { ActorFields } from './store.ts'

/** The caller of a change, the origin of the request, and the reason. */
export interface ChangeContext<Who extends Actor = Actor> {
  caller: Who
  visit?: Visit
  reason?: string
}

/** Converts the context to the fields of an audit event. */
export const toActorFields = ({ caller, visit, reason }: ChangeContext): ActorFields => ({
  actorId: caller.id,
  ...(visit && { visit }),
  ...(reason !== undefined && { reason }),
})
