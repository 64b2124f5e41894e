import { listClients } from '@passport/contract/clients'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** Finds applications by a part of their name or client id. */
export async function searchApplications(
  text: string,
  signal: AbortSignal,
): Promise<(Pickable & { confidential: boolean })[]> {
  const { items } = await call(listClients, { query: { query: text.slice(0, 100), limit: 10 } }, { signal })
  return items.map(({ clientId, clientName, confidential }) => ({
    id: clientId,
    name: clientName,
    detail: clientId,
    kind: 'client',
    confidential,
  }))
}
