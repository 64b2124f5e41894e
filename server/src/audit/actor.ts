import type { Doer } from '../http/caller.ts'
import type { Visit } from '../http/visit.ts'
import type { Actor } from './store.ts'

/** Who makes a change, from where, and what for. */
export interface By<Who extends Doer = Doer> {
  caller: Who
  visit?: Visit
  reason?: string
}

/** As the audit keeps it. */
export const actorOf = ({ caller, visit, reason }: By): Actor => ({
  actorId: caller.id,
  ...(visit && { visit }),
  ...(reason !== undefined && { reason }),
})
