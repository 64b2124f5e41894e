import type { ActorFields } from '../audit/store.ts'
import type { Sql } from '../database/sql.ts'
import * as devices from '../device-authorization/store.ts'
import { toActorId } from '../http/caller.ts'
import * as provider from '../provider/store.ts'
import { endLinksOf } from '../users/end-links.ts'

/**
 * Ends everything that was issued to a client or waits for it, for good: grants, codes, tokens and requests of devices, and the
 * links and invitations that it created, which would work by the rights of a later client with the same id.
 */
export async function endClient(sql: Sql, clientId: string, actor: ActorFields = {}): Promise<void> {
  await provider.endClient(sql, clientId)
  await provider.endDeviceCodes(sql, await devices.endRequestsOfClient(sql, clientId))
  await endLinksOf(sql, [toActorId({ clientId })], actor)
}
