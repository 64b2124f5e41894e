import type { Sql } from '../database/sql.ts'
import * as devices from '../device-authorization/store.ts'
import * as provider from '../provider/store.ts'

/** Ends everything that was issued to a client or waits for it, for good: grants, codes, tokens and requests of devices. */
export async function endClient(sql: Sql, clientId: string): Promise<void> {
  await provider.endClient(sql, clientId)
  await provider.endDeviceCodes(sql, await devices.endRequestsOfClient(sql, clientId))
}
